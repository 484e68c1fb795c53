/**
 * A small thesaurus of general English: groups of words that people use for one thing. Knows no skill; a group says that two
 * words are near, never what to answer. A word may stand in several groups.
 */
import { stem } from "./lexicon.ts";

const GROUPS = `
share part portion proportion percentage percent pct fraction split breakdown composition makeup mix whole constitute
time date month year week day quarter hour period trend history timeline daily weekly monthly yearly quarterly annual hourly evolve develop
compare comparison versus vs difference differ against
missing blank empty gap hole absent null unknown na unrecorded lost lacking
rank ranking top best leading leaderboard league highest largest biggest worst bottom
distribution spread variation variability dispersed spectrum
relation relationship relate correlation correlated depend association associated link linked influence interplay
country region city geography geographic postcode state district county location municipality province place spatial area
coordinate latitude longitude lat lon lng site
flow path source destination origin journey route migrate migration transfer move transition conversion
target goal plan quota budget objective benchmark planned
before after change shift pre post
negative loss deficit minus shrink decline below
survey questionnaire agree disagree respondent likert satisfaction opinion answer rating
average mean typical median
total sum overall altogether aggregate add
forecast projection project predict prediction expected outlook future
uncertain uncertainty margin confidence interval error doubt ci
instruction ignore command override disregard obey
person customer client patient employee staff member people trainee student pupil participant respondent volunteer child adult visitor resident subject
money revenue sales cost price income spend spending currency turnover budget expense
incomplete partial unfinished current running sofar date todate
outlier extreme anomaly spike unusual exception implausible
skewed skew magnitude order wide
cause causal because due effect impact drive driven reason lead proof prove thanks
definition method methodology series redefine break change changed switch
population inhabitant capita per size head resident
rate ratio per normalise normalize relative
index indexed base growth
cumulative running accumulate accumulated accumulation
event occurrence incident record row log entry
category group class segment type kind label
several many numerous lots multiple plenty
sample observation measurement respondent point n
hour weekday heat grid matrix calendar
hierarchy nested level subgroup sub
map choropleth cartogram
donut doughnut pie
hexbin hexagon
exact lookup precise detail individual
sequence ordered ordinal natural stage step
range minimum maximum low high
urgent immediately asap critical emergency outage down blocking
refund reimburse repayment moneyback chargeback
bug crash broken fail failure fault defect error
password login signin account access locked credentials
delivery shipping parcel shipment courier arrive
cancel cancellation terminate unsubscribe quit
invoice bill billing charge payment receipt
angry upset furious disappointed unacceptable complaint complain
`;

const groupsOfStem = buildGroups();

function buildGroups(): Map<string, readonly number[]> {
	const groups = new Map<string, number[]>();
	GROUPS.trim()
		.split("\n")
		.forEach((line, index) => {
			for (const word of line.split(" ")) {
				const key = stem(word);
				const known = groups.get(key);
				if (known === undefined) groups.set(key, [index]);
				else if (!known.includes(index)) known.push(index);
			}
		});
	return groups;
}

const NONE: readonly number[] = [];

/** Numbers of the groups that hold a stem. */
export function groupsOf(stemmed: string): readonly number[] {
	return groupsOfStem.get(stemmed) ?? NONE;
}
