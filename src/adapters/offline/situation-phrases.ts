/**
 * The data of the thesaurus of situations: phrases by which people speak of one state of affairs when they describe data,
 * messages and wishes. Pure data of general English; no skill, no key and no value of an answer stands here.
 *
 * One situation a paragraph: its name, a colon, then patterns on lower-case text with " ; " between them; continuation lines
 * are indented. `@year` and `@month` stand for a year and the name of a month.
 */
export const SITUATION_PHRASES = String.raw`
parts of a whole: whole(?! (?:year|month|week|day|country|city|team|company)) ; shares?(?! (?:prices?|one|an?|the|no)\b) ;
	percentages? (?:of|and) ; and percentages ; proportions? ; (?:is|are|was|were|be) (?:made up|composed) ; makes? up ; make-?up ; compositions? ; consists? of ; mix ;
	splits?(?: up| by| into)? ; divided? (?:up )?(?:into|among|between) ; breakdown ; break(?:s|ing)? down ; slices? ; per ?cent of ;
	% of (?:the|all) ; adds? up to ; sums? up to ; out of (?:the )?(?:total|all) ; contributes? to the total ; how much of (?:the|our|a) ;
	which part ; allocat\w+ ; (?:spent|goes|went) on (?:what|which) ; distribution of (?:the )?(?:budget|total) ; portions? ; fractions? ;
	constitutes?
over time: over time ; developments? ; develop(?:s|ed)? ; trends? ; histor(?:y|ic\w*) ; monthly ; weekly ; daily ; yearly ; quarterly ;
	hourly ; annual(?:ly)? ; course of (?:the )?(?:year|month|day) ; evol\w+ ; (?:time )?series ;
	(?:month|week|day|year) (?:by|after|to) (?:month|week|day|year) ;
	(?:by|per|each|every|of the last|for every) (?:the )?(?:month|week|day|year|quarter) ; since (?:(?:the )?(?:@month)|q[1-4]|@year|\d) ;
	(?:from )?@year ?(?:to|until|till|through|-|–) ?@year ; (?:@month) (?:to|until|till|through|-|–) (?:@month) ;
	(?:through|throughout|over|during|across) the (?:years?|season|period|months|day) ; periods? ; timeline ;
	(?:last|past|next|previous) (?:\w+ )?(?:years|quarters|months|weeks|decades?) ; time axis ; decades? ;
	(?:rises?|rose|falls?|fell|grew|dropped|climbed) since ; years ago ; long[- ]term ;
	(?:two|three|four|five|six|seven|eight|nine|ten|\d+) (?:years|months|quarters|weeks) of
two moments: two moments ; before and after ; then and now ; (?<!over |for |of |last )two (?:years|dates|points in time|surveys|waves) ;
	(?:year|month|week) before ; both years ; pre and post ; start and (?:the )?end ;
	(?:first|earlier) and (?:the )?(?:last|later) (?:survey|year|wave|test) ;
	@year,? (?:and|vs\.?|versus|→|against|compared (?:to|with)) (?:for |in |with )?@year ;
	(?<!@year ?[,;|\t] ?)@year ?[,;|\t] ?@year(?! ?[,;|\t]) ; before (?:/|\|) ?after ;
	before[,;|] ?after
a ranking: rank(?:s|ings?|ed)? ; league ; top[- ](?:\d+|five|ten|twenty) ; (?:best|highest|largest|biggest|worst|most \w+) .{0,12}first ;
	where .{0,12} stands? ; wh(?:o|ich|ere) [^.?]{0,40}(?:most|longest|least|highest|lowest|largest|biggest|fewest|fastest|slowest) ;
	place in the list ; sorted by ; in order of ; leaders? ; front-?runners? ; from (?:the )?(?:best|highest|largest|most) ;
	wh(?:o|ich) (?:is|are) (?:ahead|first|last)
long names: long (?:names?|labels?|titles?) ; (?:names?|labels?|titles?) (?:are|is) (?:\w+ )?long
a spread: spreads? ; distributions? ; distributed ; range of ; variability ; variation ; vary ; varies ; reliable ;
	not (?:just|only) (?:the )?(?:means?|averages?) ; only averages ; more than (?:an |the )?averages? ; both ends ; quartiles? ;
	percentiles? ; how (?:different|consistent|even|uneven) ; consisten(?:t|cy) ; dispersion ; scatter of
a relation: relations? ; relationships? ; related to ; correlat\w+ ; associat\w+ ; depends? on ;
	go(?:es)? (?:together|hand in hand|with) ;
	do (?:\w+ )?(?:bigger|larger|more|higher|older|longer|smaller|heavier|richer) .{0,40}(?:more|less|better|longer|fewer|worse) ;
	prov\w+ that ; brings? .{0,20}(?:up|down) ; plot of \w+ against ; (?:linked|connected|tied) (?:to|with) ; connection between ;
	link between ; influences? ; the (?:more|higher|longer|bigger|older)[^.]{0,30},? the (?:more|less|higher|lower|better|worse) ;
	is there a pattern between ; interplay ;
	(?:versus|vs\.?|against) (?:the )?(?:age|size|price|weight|income|distance|speed|height|amount|number) ; affects?
a target: targets? ; goals? ; budget(?:s|ed)?(?! of) ; required ; demands? ; must reach ; (?:has|have|had) to reach ; quotas? ;
	limit to reach ; minimum ; planned ; against (?:the )?plan ; thresholds? ; supposed to ; should (?:be|reach)(?: at least)? ;
	legal limit ; allowed maximum ; objectives?
a known margin: margins? ; margins? of error ; confidence ; intervals? ; ci(?:_?\d\d)?_?(?:low|high|lower|upper)? ; ci\d\d_\w+ ; ± ;
	\+/- ; error bars ; whiskers ; error lines ; standard (?:errors?|deviations?) ; lower and upper ; upper and lower ; sampling error ;
	_(?:lo|hi|low|high|lower|upper)\b
a forecast: forecasts? ; projections? ; projected ; predict\w+ ; outlook ; estimate for the (?:rest|remaining|next) ; might end ;
	scenarios? ; expected (?:values?|development) ; next (?:\w+ )?(?:years|months|quarters) (?:are|is) ; model says ; planning figures
a range around it: range ; low and (?:a )?high ; pessimistic ; optimistic ; \d+ ?% interval ; best and (?:a |the )?worst case ;
	upper and (?:a )?lower ; corridor ; uncertainty
a cause: causes? ; causing ; causal(?:ly)? ; prov(?:e|es|ing) ; brings? .{0,20}(?:up|down) ; drives? \w+ away ;
	mak(?:e|es) (?:people|us|them) ; leads? to ; because of ; effects? of ; responsible for ; thanks to ; due to ; result of ;
	works?[,;.] (?:so|that) ; reduces ; increases (?:the|our)
an extreme value: extreme(?:ly)? ; outliers? ;
	times (?:the|that of|more than|as (?:much|many|big|high)) .{0,25}(?:next|others|rest|other) ;
	(?:far )?away from (?:all )?(?:the )?others ; all (?:the )?others ; everyone else ; genuine ;
	one (?:single )?(?:value|point|case) (?:is|was) (?:far|much|way) ; huge (?:one|value) ; off the (?:chart|scale)
checked and true: confirmed ; genuine ; we checked ; (?:have |has |was |been )?(?:double-)?checked ;
	it(?:'s| is) (?:true|real|correct|no error|not an error) ; (?:a )?real (?:figure|value|one) ; really happened ; verified ;
	no (?:typo|mistake|error) ; not a (?:typo|mistake)
rows without a value: rows? (?:that|which) cannot be ;
	(?:is|are|was|were) (?:empty|blank|missing|not (?:known|recorded|entered|filled)|unknown|never \w+|lost) ;
	(?:has|have|had|with) no [\w ]{2,20} (?:in the|recorded|entered|given) ; lack of a value ; lacks? ; rows drop out ; value is missing ;
	missing(?: values?)? ; nulls? ; n/a\b ; without (?:an? )?(?:value|date|price|age|weight|result|measurement|coordinates?) ;
	\d[\d,]* (?:\w+ )?(?:are|have) (?:no|empty|missing) ; incomplete (?:rows|records) ; not (?:measured|recorded|filled in)
periods without a measurement: periods? without ; nothing for (?:that|this|these) ;
	no (?:value|values|data|readings?|figures?|measurements?) (?:then|for|in|between|from|during) ; out of (?:service|order) ;
	nobody (?:measured|counted) ; (?:was|were) (?:down|broken|defective) (?:for|from|between|in|all) ;
	(?:@month)[^.]{0,25} (?:is|are|were) (?:missing|lost) ; (?:months?|weeks?|days?|years?|quarters?) (?:is|are|were) missing ;
	sensor (?:failed|broke) ; failed (?:for|from|between) ; gap (?:in|from|between) ; not measured (?:in|from|between)
an unknown class: unknown ; not stated ; (?:do|does|did)(?:n't| not) (?:know|answer|report|say|reply|tell) ; no answer ;
	prefer(?:red)? not ; rather not say ; have not (?:sent|reported|answered|replied) ; unanswered ; without data ; no data (?:for|from) ;
	(?:could|can) ?not (?:be )?(?:attribut|assign|match|classif)\w* ; not specified ; undeclared ; unspecified ; not assigned ; unassigned ;
	refused ; nobody knows ; no (?:reason|cause|category) (?:given|stated|entered)
nothing happened: nothing happened ; no rows? (?:means?|at all) ; no rows? ;
	nobody (?:called|gave|came|bought|ordered|booked|visited|complained) ; rows are absent ;
	without (?:any )?(?:sales|orders|calls|events|visits|bookings) (?:have|has|are|do) (?:no|not) ; (?:do|does) not appear ;
	only (?:days|hours|weeks|months) with ; simply no ; absent (?:days|rows|hours) ; not in the (?:file|table|log) because
complete data: complete(?:ly)? ; nothing (?:is )?(?:left out|missing|blank) ; no (?:holes|gaps|blanks|empty|missing) ;
	all (?:\w+ )?(?:are|is|were) (?:there|counted|in) ; audited ; full (?:inventory|count|census) ; registers? ; registry ; meters? ;
	metered ; (?:that is )?final ; closed ; all \w+ counted ; everybody ; everyone ; official ; accounts ; census ; bookkeeping ; ledger ;
	payroll ; invoiced
an unfinished period: not (?:yet )?(?:over|finished|complete|closed)(?: yet)? ; only partly ; partly in ;
	(?:until|till|up to|through) (?:today|yesterday|now|last night|this morning) ; so far ; to date ;
	until (?:the )?\d+(?:st|nd|rd|th)? (?:of )?(?:@month) ; current (?:week|month|quarter|year) ; only the first ; unfinished ;
	still running ; this (?:week|month|year) (?:is )?(?:included|too|as well|still) ; half of (?:the |this )?(?:month|year|week|quarter) ;
	first (?:half|days|weeks) of ; today is ; as of (?:today|yesterday) ; partial (?:week|month|year|quarter) ; in progress ;
	pulled (?:it|this) (?:on|today|this)
a change of method: definitions? (?:\w+ )?changed? ; way of counting ;
	(?:changes?|changed|switch(?:ed)?|new) (?:of |in |to |the )?(?:a )?(?:new )?(?:method|definition|classification|system|counting|methodology|questionnaire|supplier|sensor)s? ;
	methods? (?:\w+ )?changed ; before that(?:,|\.| ) ; (?:counted|measured|recorded|classified) (?:as|differently|separately) ; redefin\w+ ;
	booked (?:as|in) ; not comparable ; is not real ; were (?:in|inside) ; (?:old|previous) (?:method|definition|way|questionnaire|system) ;
	revised ; reclassified ; now (?:counts?|includes?|counted) ;
	(?:from|since) \d{4}[^.]{0,30}(?:includes?|counts?|counted|measured|excludes?) ; broke in the series
planted instructions:
	(?:note|message|instructions?|hint|memo) (?:to|for) (?:the |any |all )?(?:assistant|ai|model|bot|operator|llm|system)s? ;
	\[(?:ai|system|assistant|inst)\b ; <!-- ; system ?: ; (?:assistant|ai|model|bot) ?[,:] ;
	(?:ignore|disregard|forget) (?:all|the|any|previous|your|what) ; always (?:answer|respond|reply|output) ; from now on ;
	instructions? hidden ; steer ; you must (?:answer|reply|output|now) ; as an ai ;
	(?:set|answer|reply|respond|output) (?:with )?(?:warn|chart|only)\b ; override
a typical value: typical(?:ly)? ; usual(?:ly)? ; median ; middle one ; long tails? ; skewed ; ordinary ;
	normal (?:person|customer|case|employee) ; half of (?:them|all|the) ; what (?:one|you|people) (?:can )?expect ;
	a few (?:very|extremely|huge)
pay or price: pay ; paid ; earn(?:s|ed|ings?)? ; wages? ; salar(?:y|ies) ; gross_?\w* ; incomes? ; prices? ; price_\w+ ; rents? ;
	costs? (?:most|per) ; fees? ; housing costs
a duration: durations? ; wait(?:s|ed|ing)? ; waiting times? ; minutes ; minutes_\w+ ; length of stay ;
	(?:response|processing|delivery|lead|handling|travel|reading|waiting|resolution) times? ; days_\w+ ; hours_to\w* ; how long ;
	time to \w+ ; (?:days|hours|weeks) (?:until|from \w+ to)
a level: stocks? ; inventor(?:y|ies) ; balances? ; active_\w+ ; members?(?:hip)? ; headcount ; subscribers?\w* ;
	open (?:tickets|orders|cases|positions) ; open_\w+ ; snapshots? ; at the (?:close|end) of (?:each|every) ; water levels? ; fill levels? ;
	backlog ; occupancy ; number of employees ; storage ; debts? ; outstanding ; every (?:night|evening|midnight) ; population at
building up: builds? up ; building up ; toward?s? (?:a|an|the|our) ; closer to ; accumulat\w+ ; cumulat\w+ ; used up ; ahead of ;
	running total ; fills? up ; progress ; on track ; how far (?:are|have) we ; year[- ]to[- ]date ; adds up over ;
	reach(?:ed)? (?:the|our) (?:goal|total|target) ; so far this year
growth from a start: growth ; grew ; grow(?:s|ing|n)? ; common start ; starting (?:point|year|value) ; where (?:it|they) started ;
	since then ; relative to (?:the )?(?:start|first|beginning|\d{4}) ; in relation to \d{4} ; percentage change since ;
	expanded? (?:fastest|most|faster) ; pace ; = ?100
different sizes: different(?:ly)? (?:in )?siz\w+ ; very different ; (?:the )?(?:largest|biggest) (?:has|sells|one|by far) ;
	one has .{0,25}, one ; too? big ; so (?:big|large|small|much bigger) ; fair(?:ly)? ; of (?:all|any) sizes? ;
	(?:large|big|small) (?:and|or|towns?|cities) (?:small|large|villages) ; tiny ; bigger (?:cities|towns|places|plants|schools)
a base to divide by:
	(?<!rows? )(?<!\d )(?<!people )per (?:head|capita|household|kilometre|km|inhabitant|person|passenger|resident|employee|student|\d[\d,]*|thousand|hundred|million) ;
	each head ; populations? ; inhabitants ; residents ; households? ; passengers ; hours worked ; base ; divide ; entitled ; eligible ;
	enrolled ; exposure ; number of (?:employees|pupils|residents|vehicles|beds|members) ;
	in relation to (?:the )?(?:size|population|number)
one row per event: (?:one|1|a) (?:row|line|record|entry) (?:per|each|for (?:each|every)) ; each (?:row|line|record) is ;
	(?:every|each) \w+ is (?:one|a) (?:row|event|line|record) ; no measure ; event log ;
	list of (?:all )?(?:incidents|calls|visits|cases|events) ; how many
amounts to add up: additive ; added up ; volumes? ; sales ;
	(?:litres|kwh|tonnes|amounts?|quantity|revenue|hours) (?:for|per) (?:every|each) ; how much ; totals?, please ; monthly totals ;
	transactions? ; receipts? ; consumption ; quantity ; units sold
finished values: finished values? ; one (?:figure|number|value) (?:for|per) each ; has one (?:number|value|figure) ;
	two (?:numbers|figures|values) (?:per|for) ; (?:as )?published ; final (?:totals?|figures?|numbers?|values?) ; official ;
	nothing to add up ; already (?:calculated|computed|aggregated|averaged|summed) ; pre-?aggregated ;
	one (?:row|line) per (?:country|city|region|team|site|year|month|group|department|item)
one item that matters: named (?:item|series) ; ours ; we stand ; where we ; one item ; one line that matters ; stands? out ;
	sticks? out ; did we ; how (?:we|i) (?:did|do|are doing|compare) ; compared (?:with|to) the (?:rest|others|other) ; among the others ;
	highlight ; my (?:team|school|city|region|department|shop|store|town|product) ; focus on ; point out ; in particular ; emphasi[sz]e ;
	draw attention
some that miss a limit: miss(?:es|ed|ing)? (?:the|a|its|their) (?:limit|goal|target|minimum) ; need(?:s)? (?:action|attention) ;
	(?:below|under|above|over|beyond|exceed\w*) (?:the )?(?:limit|budget|target|threshold|minimum|maximum|plan) ; made it ;
	fail(?:s|ed)? (?:the|to reach) ; too (?:low|high|late) ; out of tolerance ; behind plan
ordered classes: age (?:bands?|groups?|classes) ; grades? ; weekdays? ; ordered classes ; order of their own ; (?:under|over) \d\d ;
	sizes, grades ; shoe sizes? ; from grade to grade ; \d\d ?[-–] ?\d\d[,;] ; (?:income|size|education) (?:bands?|groups?|classes|levels?) ;
	levels? of education ; xs|xl ; monday ; stars? ; school years ; severity ; stages? [1i] ;
	(?:low|small), (?:medium|middle),? (?:and )?(?:high|large) ; classes [a-e]
no order: no (?:special|natural|particular) order ; without an order ; unordered
a place: spatial ; geograph\w+ ; neighbou?r\w* ; hot spots? ; provinces? ; countr(?:y|ies) ; postcodes? ; zip codes? ;
	municipalit(?:y|ies) ; constituenc(?:y|ies) ; districts? ; regions? ; counties ; county ; federal states? ; cantons? ; wards? of ;
	communes? ; boroughs? ; latitude ; longitude
a spatial pattern: spatial ; geograph\w+ ; neighbou?r\w* ; hot spots? ; concentrated ; clusters? ;
	where .{0,25}(?:high or low|concentrated|worst|highest|strongest|common) ; in (?:what|which) (?:parts|areas|regions) ;
	across the (?:country|city|region) ; east and west ; north and south ; north-south ; east-west ; coast
a flow: flows? ; moves? from ; moved (?:from|to) ; from_\w+ ; sources? (?:or|and) (?:stages|destinations) ; destinations? ; funnel ;
	come from and where ; from wh(?:ich|ere) \w+ to wh\w+ ; from where to where ; next steps? ; splits and joins ; went on to ;
	internal moves? ; loses? \w+ to ; origins? ; switch(?:ed)? (?:from|to|between) ; transfers? ; paths? ; ends? up (?:in|as|at) ;
	pass(?:es)? through ; goes where ; who goes where ; end up where
a scale of answers: agree ; disagree ; very (?:poor|bad|good|satisfied|dissatisfied|likely|unlikely) ; poor (?:to|and) good ; not at all ;
	mean scores? ; likert ; (?:five|four|seven|5|7)-(?:point|step) ; satisfied ; strongly ; rather (?:yes|no) ; rated? (?:from|on) ;
	answers? on an?
gains and losses: gains? and loss(?:es)? ; profits? (?:and|or) loss(?:es)? ; gain and loss ; (?:who|which) (?:\w+ )?(?:lost|loses?) ;
	above and .{0,8}below ; deviations? ; both sides ; neutral middle ; surplus(?:es)? ; deficits? ; two directions ; winners and losers ;
	net (?:migration|change|result|balance) ; plus (?:and|or) minus ; ups and downs ; above or below
two calendar cycles: weekday and hour ; weekday by hour ; hours? (?:on|of|and) (?:\w+ )?weekdays? ; hours on which weekdays ;
	months? (?:against|by|and|per) years? ; seasonality ; seasonal(?:ly)? ; seasons? (?:starts?|ends?) ; rhythm ; calendar ;
	two time dimensions ; when in the week ; time of (?:day|year) ; day of the week ; hour of the day ; busy (?:hours|times) ;
	peak (?:hours|times) ; which (?:hours|weekdays|days of the week)
exact figures: (?:own )?(?:exact(?:ly)?|precise(?:ly)?) (?:the )?(?:values?|numbers?|figures?|amounts?) ; look(?:s|ed|ing)? up ;
	look (?:for|it) up ; to the (?:cent|penny|decimal) ; read(?:s|ing)? off ; look for a name ; by name ; reference ;
	find (?:his|her|their) (?:own )?(?:number|value|figure|price|fee) ; each (?:single )?(?:number|figure) (?:counts|matters) ;
	copy the (?:numbers|figures)
different units: different units ; no unit ; share no unit ; in different units ; other units ; not comparable units
all of equal interest: equal interest ; equally important ; all (?:of them )?(?:matter|count) ; (?:for|find|see) (?:his|her|their) (?:or her )?own ;
	find (?:his|their|her) ; each of (?:the|them) ; for each (?:product|store|state|one|station|site|country|team) ; for each instead ;
	every one of ; none of them (?:is|matters) more ; no favou?rite ; all \w+ (?:alike|equally) ; individually
a wide span: magnitudes? ; orders of magnitude ; factor of (?:a|one|\d)[\w,]* ; (?:hundred|thousand|\d,000) times ; powers of ten ;
	tiny .{0,30}huge ; from .{1,12} to .{0,6}(?:million|billion)
a second scale: (?:two|2|second|secondary|dual|double|both) (?:value |y-?)?(?:axis|axes|scales?) ; (?:left|right) (?:value )?(?:axis|scale) ; two y-?axes ;
	secondary (?:axis|scale) ; (?:two|both) measures in ; unrelated units
an axis that is cut: axis (?:begin|start|cut|truncat)\w* (?:at|from) ; (?:do|does) not start at zero ; (?:cut|truncated|broken) (?:bar |value )?axis ; axis cut ;
	(?:begin|start) (?:the axis )?at \d ; zoom(?:ed)? in on the
red and green: red (?:against|and|or) green ; green (?:[\w,]+ ){0,8}red ; red (?:[\w,]+ ){0,8}green ; traffic[- ]lights?
an average: means? ; averages? ; mean scores? ; average_\w+
`;
