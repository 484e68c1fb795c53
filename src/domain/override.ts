/**
 * Sentences that would talk a reader out of the kernel ("ignore the rules above"). A heuristic in a handful of languages:
 * it only raises a flag for the person who reviews, and is no guarantee. The deterministic rules of admission are that.
 */
import { bare, unmask } from "./disguise.ts";

const VERBS =
	/\b(?:ignor\w*|disregard\w*|forget|overrid\w*|overrul\w*|bypass\w*|supersed\w*|circumvent\w*|waiv\w*|suspend\w*|relax\w*|outrank\w*|trump\w*|prevail\w*|invalidat\w*|revok\w*|neglect|drop|skip|violat\w*|break|contradict\w*|replac\w*|void|exempt\w*|except\w*|unless|regardless|notwithstanding|irrespective|despite|instead of|rather than|no longer (?:appl\w+|hold\w*|bind\w*|valid)|does not apply|do(?:es)? ?n[o']t (?:appl\w+|follow|obey|matter|count|bind|need)|never mind|not bound|need not|take[s]? (?:precedence|priority)|ha(?:s|ve) precedence|more important than|optional|obsolete|outdated|ignorier\w*|missacht\w*|vergiss|vergessen|umgeh\w*|gilt nicht|gelten nicht|ausser|au(?:ß|ss)er|ignore[zr]|oublie[zr]?|sauf|malgr[ée]|ignora[r]?|olvida[r]?|excepto|salvo|ignorar|esque[çc]a|negeer|ignoruj|zignoruj)(?![\w])|игнорир|забудь|кроме|忽略|无视|無視|覆盖|除外|不适用/iu;

const OBJECTS =
	/\b(?:kernel|above|below|earlier|previous|prior|preceding|foregoing|other|all|any|these|those|former|safety|invariants?|contracts?|polic(?:y|ies)|rules?|instructions?|guardrails?|constraints?|restrictions?|limits?|sections?|regions?|requirements?|formats?|obigen?|oben|vorherigen?|regeln?|anweisung\w*|vertrag|r[èe]gles?|instrucci[oó]n\w*|reglas?|regras?|consignes?|pr[ée]c[ée]dent\w*|anteriores?)(?![\w])|правил|инструкц|выше|以上|上述|规则|規則|指令|契约/iu;

/** Phrases that need no object. */
const PLAIN =
	/\b(?:jailbreak|developer mode|do anything now|you are now|new (?:system )?instructions?|system prompt)\b/i;

/** The sentences of a text that sound like an override. `ids` are the kernel regions: naming one counts as naming the kernel. */
export function overridesIn(text: string, ids: readonly string[]): string[] {
	const names = ids.map((id) => id.replaceAll("-", " "));
	const isOverride = (sentence: string) => {
		if (PLAIN.test(sentence)) return true;
		const lower = sentence.toLowerCase().replaceAll("-", " ");
		return VERBS.test(sentence) && (OBJECTS.test(sentence) || names.some((name) => lower.includes(name)));
	};
	const seen = sentencesOf(bare(unmask(text))).filter(isOverride);
	// Look-alikes become Latin when the disguise comes off, so a text in another script is read as it is too.
	return seen.length > 0 ? seen : sentencesOf(text).filter(isOverride);
}

function sentencesOf(text: string): string[] {
	return text.split(/[\r\n]+|(?<=[.!?;。！？])\s*/).map((sentence) => sentence.trim());
}
