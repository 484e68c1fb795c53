/**
 * A thesaurus of situations: phrases by which people speak of one state of affairs when they describe data, messages and
 * wishes. It reads instructions and inputs alike, and says only that two texts speak of the same thing, never what follows
 * from it. Knows no skill, no key and no value.
 */

const MONTH = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const YEAR = "(?:19|20)\\d\\d";

/** Name of a situation and the phrases that tell it; a phrase is a pattern on lower-case text. */
const PHRASES: Readonly<Record<string, readonly string[]>> = {
	"parts of a whole": [
		"whole(?! (?:year|month|week|day))", "shares? of", "what share", "proportions?", "(?:is|are|was|were) made up", "makes? up", "make-?up", "composition", "consists? of",
		"mix", "splits? (?:up|by|into)", "split", "breakdown", "break(?:s|ing)? down", "slices?", "in per ?cent", "percentages?", "per ?cent of", "adds? up to",
	],
	"over time": [
		"over time", "developments?", "develops?", "trends?", "histor(?:y|ic\\w*)", "monthly", "weekly", "daily", "yearly", "quarterly", "annual(?:ly)?",
		"(?:month|week|day|year) by (?:month|week|day|year)", "(?:by|per|each|every) (?:the )?(?:month|week|day|year|quarter)", `since (?:(?:the )?(?:${MONTH})|q[1-4]|${YEAR}|\\d)`,
		`${YEAR} (?:to|until|till|through|-|–) ${YEAR}`, "time series", "(?:through|throughout|over|during) the (?:year|season|period)", "periods?", "timeline",
		"(?:last|past|next) \\w+ (?:years|quarters|months|weeks)", "time axis",
	],
	"two moments": [
		"two moments", "before and after", "then and now", "(?<!over |for )two (?:years|dates|points in time)", "year before", "both years",
		`${YEAR},? (?:and|vs\\.?|versus|→|against) (?:for |in )?${YEAR}`, `(?<!${YEAR} ?[,;|\t] ?)${YEAR} ?[,;|\t] ?${YEAR}(?! ?[,;|\t])`,
	],
	"a ranking": [
		"rank(?:s|ing|ed)?", "league", "top \\d+", "(?:best|highest|largest|biggest|worst) .{0,12}first", "where .{0,12} stands?", "wh(?:o|ich|ere) [^.?]{0,40}(?:most|longest|least|highest|lowest)", "place in the list", "sorted by",
	],
	"long names": ["long names?", "names are long", "long labels?"],
	"a spread": ["spreads?", "distributions?", "distributed", "range of", "variability", "variation", "reliable", "not (?:just|only) (?:the )?(?:means?|averages?)", "only averages", "scatter around", "both ends", "quartiles?"],
	"a relation": ["relations?", "relationships?", "related to", "correlat\\w+", "associat\\w+", "depends? on", "go(?:es)? with", "relate", "do (?:bigger|larger|more|higher|older|longer) .{0,40}(?:more|less|better|longer)", "prov\\w+ that", "brings? .{0,20}(?:up|down)", "plot of \\w+ against"],
	"a target": ["targets?", "goals?", "budgets?", "required", "demands?", "must reach", "has to reach", "quotas?", "limit to reach", "minimum"],
	"a known margin": ["margins?", "margin of error", "confidence", "intervals?", "ci(?:_?\\d\\d)?_?(?:low|high|lower|upper)?", "ci\\d\\d_\\w+", "±", "error bars", "whiskers", "error lines", "standard errors?"],
	"a forecast": ["forecasts?", "projections?", "projected", "predict\\w+", "outlook", "estimate for the (?:rest|remaining)", "might end"],
	"a range around it": ["range", "low and (?:a )?high", "pessimistic", "optimistic", "\\d+ ?% interval"],
	"a cause": ["causes?", "causing", "causal", "prov(?:e|es|ing)", "proof", "brings? .{0,20}(?:up|down)", "drives? \\w+ away", "makes? people", "ruins?", "leads? to", "because of", "effects? of"],
	"an extreme value": ["extreme", "outliers?", "times (?:the|that of) .{0,25}(?:next|others|rest|other)", "away from all others", "all others", "everyone else", "genuine"],
	"checked and true": ["confirmed", "genuine", "we checked", "checked it", "it(?:'s| is) (?:true|real)", "(?:a )?real (?:figure|value)", "really happened", "verified"],
	"rows without a value": [
		"rows? (?:that|which) cannot be", "(?:is|are|was|were) (?:empty|blank|missing|not known|never \\w+)", "(?:has|have) no [\\w ]{2,20} in the", "lack of a value", "lacks?", "rows drop out", "value is missing", "missing",
	],
	"periods without a measurement": ["periods? without", "nothing for (?:that|this)", "no value (?:then|for)", "out of (?:service|order)", "nobody (?:measured|counted)", "(?:was|were) down", `(?:${MONTH})[^.]{0,25} (?:is|are) missing`],
	"an unknown class": ["unknown", "not stated", "(?:do|does|did)(?:n't| not) (?:know|answer|report|say|reply)", "no answer", "have not (?:sent|reported|answered|replied)", "unanswered", "without data", "could not (?:be )?(?:attribute|assign|match)\\w*", "not specified", "undeclared", "blank", "empty"],
	"nothing happened": ["nothing happened", "no rows? (?:means?|at all)", "no rows?", "nobody (?:called|gave|came|bought|ordered|booked)", "rows are absent"],
	"complete data": ["complete", "nothing (?:is )?(?:left out|missing|blank)", "no (?:holes|gaps|blanks|empty)", "all (?:\\w+ )?(?:are|is) there", "audited", "full inventory", "registers?", "meters?", "metered", "(?:that is )?final", "closed", "all \\w+ counted", "everybody", "official", "log"],
	"an unfinished period": ["not over yet", "only partly", "partly in", "(?:until|till|up to) (?:today|yesterday|now)", "so far this", `until \\d+ (?:${MONTH})`, "current (?:week|month|quarter|year)", "only the first", "unfinished", "still running", "this (?:week|month|year) included"],
	"a change of method": ["definitions? (?:\\w+ )?changed", "way of counting", "changes? of (?:method|definition)", "methods? (?:\\w+ )?changed", "before that(?:,|\\.| )", "counted (?:as|differently)", "redefin\\w+", "booked (?:as|in)", "new (?:method|definition|classification)", "not comparable", "is not real", "were (?:in|inside) "],
	"planted instructions": ["(?:note|message|instructions?) (?:to|for) (?:the )?(?:assistant|ai|model|bot|operator)", "\\[ai\\b", "<!--", "system ?:", "assistant ?[,:]", "ignore (?:all|the|any|previous)", "always answer", "from now on", "instruction hidden", "steer"],
	"a typical value": ["typical(?:ly)?", "usually (?:paid|earned|spent|costs?)", "median", "middle one", "long tails?", "skewed"],
	"pay or price": ["pay", "paid", "earns?", "wages?", "salar(?:y|ies)", "gross_?\\w*", "prices?", "price_\\w+", "rents?", "costs? most"],
	"a duration": ["durations?", "wait(?:s|ing|ed)?", "waiting times?", "minutes", "minutes_\\w+", "length of stay", "response times?", "days_\\w+", "reading time"],
	"a level": ["stocks?", "inventor(?:y|ies)", "balances?", "active_\\w+", "members?", "headcount", "subscribers?\\w*", "open tickets", "open_\\w+", "snapshots?", "at the (?:close|end) of each"],
	"building up": ["builds? up", "building up", "toward?s? (?:a|an|the) ", "closer to", "accumulat\\w+", "cumulat\\w+", "used up", "ahead of", "running total", "fills? up", "so far or"],
	"growth from a start": ["growth", "grew", "grow(?:s|ing|n)?", "common start", "starting point", "where (?:it|they) started", "since then"],
	"different sizes": ["different sizes?", "very different size", "(?:the )?(?:largest|biggest) (?:has|sells|is|one)", "one has .{0,25}, one", "too? big", "so (?:big|large)", "fair(?:ly)?"],
	"a base to divide by": ["per (?:head|capita|household|kilometre|inhabitant|person|passenger)", "each head", "populations?", "inhabitants", "households?", "passengers", "hours_?worked", "base", "divide", "entitled", "eligible"],
	"one row per event": ["(?:one|1) row (?:per|each|for each)", "each row is one", "(?:every|each) \\w+ is one (?:row|event)", "no measure"],
	"amounts to add up": ["additive", "added up", "volumes?", "order lines?", "sales", "rentals", "kwh for every", "how much", "totals, please", "daily rentals"],
	"finished values": ["finished values?", "one (?:figure|number|value) (?:for|per) each", "has one (?:number|value)", "two numbers per", "as published", "final (?:totals?|figures?)", "official", "nothing to add up", "is all i have"],
	"one item that matters": ["named (?:item|series)", "ours", "i run", "we stand", "where we", "one item", "one line that matters", "stands? out", "sticks? out", "did we", "how we did", "compared with the (?:rest|others)"],
	"some that miss a limit": ["miss(?:es)? (?:the|a) (?:limit|goal|target)", "need action", "below the limit", "over (?:the )?(?:budget|limit)", "made it"],
	"ordered classes": ["age bands?", "age groups?", "grades?", "weekdays?", "ordered classes", "order of their own", "under \\d\\d", "sizes, grades", "shoe sizes?", "from grade to grade", "\\d\\d-\\d\\d[,;]"],
	"no order": ["no special order", "without an order", "unordered"],
	"a place": ["spatial", "neighbou?r\\w*", "hot spots?", "provinces?", "countr(?:y|ies)", "postcodes?", "municipalit(?:y|ies)", "constituenc(?:y|ies)", "districts?", "regions?", "areas?"],
	"a spatial pattern": ["spatial", "neighbou?r\\w*", "hot spots?", "concentrated", "where .{0,20}(?:high or low|concentrated)", "in what parts", "picture of the country"],
	"a flow": ["flows?", "moves? from", "from_\\w+", "sources? or stages", "destinations?", "funnel", "come from and where", "from which \\w+ to which", "next steps?", "splits and joins", "went on to", "internal moves?", "loses \\w+ to"],
	"a scale of answers": ["agree", "disagree", "very poor", "very good", "poor (?:to|and) good", "not at all", "mean scores?", "likert"],
	"gains and losses": ["gains? and loss(?:es)?", "profits? and loss(?:es)?", "gain and loss", "which lose", "above and .{0,8}below", "deviations?", "both sides", "neutral middle", "surplus", "two directions"],
	"two calendar cycles": ["weekday and hour", "weekday by hour", "hours? (?:on|of) (?:\\w+ )?weekdays?", "hours on which weekdays", "months? (?:against|by) years?", "seasonality", "seasonal", "seasons?", "rhythm", "calendar cycles?", "two time dimensions", "when in the week"],
	"exact figures": ["(?:own )?(?:exact|precise) (?:values?|numbers?|figures?)", "look(?:ed)? up", "to the cent", "read(?:s|ing)? off", "look for a name", "by name"],
	"different units": ["different units", "unrelated units", "no unit", "share no unit"],
	"all of equal interest": ["equal interest", "equally important", "all matter", "(?:his|her|their) (?:or her )?own", "find (?:his|their)", "each of the", "for each (?:product|store|state|one)", "for each instead"],
	"a wide span": ["magnitudes?", "orders of magnitude", "factor of (?:a|one|\\d)[\\w,]*", "(?:hundred|thousand|\\d,000) times"],
	"an average": ["means?", "averages?", "mean scores?"],
};

const compiled: readonly (readonly [string, RegExp])[] = Object.entries(PHRASES).map(([name, phrases]) => [
	name,
	new RegExp(`(?<![\\p{L}\\d])(?:${phrases.join("|")})(?![\\p{L}])`, "u"),
]);

/** Names of the situations of which a text speaks. */
export function situationsOf(text: string): Set<string> {
	const lower = plain(text);
	const found = new Set<string>();
	for (const [name, pattern] of compiled) if (pattern.test(lower)) found.add(name);
	return found;
}

/** Situations of a text, and the text without the words that told them. */
export function withoutSituations(text: string): { found: string[]; rest: string } {
	const lower = plain(text);
	let rest = lower;
	const found: string[] = [];
	for (const [name, pattern] of compiled) {
		const match = pattern.exec(lower);
		if (match === null) continue;
		found.push(name);
		rest = rest.replace(match[0], " ");
	}
	return { found, rest };
}

function plain(text: string): string {
	return text.toLowerCase().replace(/\s+/g, " ");
}
