/**
 * Which failures have one cause. A symptom is a check with what its note says; symptoms that tell of one thing in other words
 * are one cause. Where checks repeat, causes are looked for among those that want the same, since one value may be wanted for
 * several reasons; where no two checks are alike, among all of them. Depends on the cases alone, not on any trial.
 */
import type { Case } from "../../domain/case.ts";
import { digest } from "../../domain/digest.ts";
import { clusters } from "./clusters.ts";
import { signatureOf, topicOf } from "./groups.ts";
import { stemsOf } from "./words.ts";

export interface Symptom {
	/** Id of its cause; the symptom's own id where the cause has no other. */
	cause: string;
	id: string;
}

export interface Causes {
	/** The symptom of a scoring check; undefined for a case that was not among those the causes were made from. */
	symptomOf(caseId: string, check: number): Symptom | undefined;
	/** Whether checks repeat: then words of a note tell reasons apart, and a line can be told by the words of what it mends. */
	repeat: boolean;
}

/** Symptoms are one cause when their words are this alike on average (cosine, rare words counting more). */
const ALIKE = 0.1;
/** Checks repeat when at least this share of them has two others that want the same. */
const REPEATING = 0.5;

interface Topic {
	id: string;
	want: string;
	words: ReadonlySet<string>;
	checks: string[];
}

/** The text of a case that its checks may quote: words that stand in it tell nothing about a cause. */
function inputWords(entry: Case): ReadonlySet<string> {
	return stemsOf(entry.input ?? entry.messages?.map((message) => message.content).join("\n") ?? "");
}

function topicsOf(cases: readonly Case[]): Topic[] {
	const topics = new Map<string, Topic>();
	for (const entry of cases) {
		const quoted = inputWords(entry);
		entry.checks.forEach((check, index) => {
			if (check.contract || check.weight === 0) return;
			const want = signatureOf(check);
			const id = `${want}.${topicOf(check)}`;
			const known = topics.get(id);
			if (known !== undefined) {
				known.checks.push(`${entry.id} ${index}`);
				return;
			}
			const said = stemsOf(`${check.note ?? ""} ${check.type === "rubric" ? check.criterion : ""}`);
			const words = new Set([...said].filter((word) => !quoted.has(word)));
			topics.set(id, { id, want, words: words.size > 0 ? words : said, checks: [`${entry.id} ${index}`] });
		});
	}
	return [...topics.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Share of the scoring checks that want the same as two others at least. */
function repeatingShare(topics: readonly Topic[]): number {
	const counts = new Map<string, number>();
	for (const topic of topics) counts.set(topic.want, (counts.get(topic.want) ?? 0) + topic.checks.length);
	const all = [...counts.values()];
	const total = all.reduce((sum, count) => sum + count, 0);
	return total === 0 ? 0 : all.reduce((sum, count) => sum + (count >= 3 ? count : 0), 0) / total;
}

function byWant(topics: readonly Topic[]): Map<string, Topic[]> {
	const kinds = new Map<string, Topic[]>();
	for (const topic of topics) kinds.set(topic.want, [...(kinds.get(topic.want) ?? []), topic]);
	return kinds;
}

/** The causes of a set of cases. */
export function createCauses(cases: readonly Case[]): Causes {
	const topics = topicsOf(cases);
	const repeat = repeatingShare(topics) >= REPEATING;
	const found = new Map<string, Symptom>();
	const kinds = repeat ? byWant(topics) : new Map([["", topics]]);
	for (const [want, kind] of kinds) {
		for (const cluster of clusters(kind, topics, ALIKE)) {
			const whole = repeat && cluster.length === kind.length;
			const cause = whole ? want : digest(cluster.map((topic) => topic.id)).slice(0, 16);
			for (const topic of cluster) {
				const id = cluster.length === 1 ? cause : `${cause}.${digest(topic.id).slice(0, 8)}`;
				for (const check of topic.checks) found.set(check, { cause, id });
			}
		}
	}
	return { symptomOf: (caseId, check) => found.get(`${caseId} ${check}`), repeat };
}
