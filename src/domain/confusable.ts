/**
 * Characters that look like the letters and signs of a marker. A small table of our own: the scripts that draw whole words
 * which pass for Latin (Cyrillic, Greek, Armenian, Cherokee, Lisu, small capitals, letters in boxes). What compatibility
 * normalization turns into Latin is not in it. Must not know what is searched for in a folded text.
 */

/** From a look-alike to the sign or small letter that it is taken for. */
export const LOOKALIKES: ReadonlyMap<string, string> = createTable({
	a: "аɑαΑАᎪꓮᴀ",
	b: "ЬвВьΒƄɓᏴꓐʙ",
	c: "сСϲᏟꓚᴄ",
	d: "ԁɗժᏧᎠꓓᴅ",
	e: "еЕҽєεΕэ℮ᎬꓰᴇҼЄ",
	f: "ꓝꜰ",
	g: "ɡցԌɢǥᏀꓖԍ",
	h: "һΗНᎻꓧʜ",
	i: "іІıɩιΙǀӏӀاᎥꓲɪ",
	j: "јЈᎫꓙᴊ",
	k: "кКκΚĸҝқᏦꓗᴋҚҜ",
	l: "ӏӀןǀɭΙᏞꓡʟ",
	m: "мМᎷꓟᴍΜ",
	n: "пոηΝꓠɴ",
	o: "оОοΟꓳᴏ",
	p: "рРρΡᏢꓑᴘ",
	q: "ԛ",
	r: "гᴦɾʀᏒᎡꓣᖇ",
	s: "ѕЅᏚꓢꜱ",
	t: "тТτΤᎢꓔᴛ",
	u: "ꓴᴜ",
	v: "ᏙꓦᴠѴѵ",
	w: "ԝᎳꓪᴡ",
	x: "хХχΧꓫ",
	y: "уУγΥꓬʏ",
	z: "ᏃꓜᴢΖ",
	":": "꞉∶ː⁚׃։ꓽ᛬˸",
	"<": "‹˂❮",
	">": "›˃❯",
	"-": "‐‑‒–—―−",
	"=": "═꓿⹀",
	"!": "ǃ",
});

/** One look-alike; with the flag `g`. */
export const LOOKALIKE = new RegExp(`[${[...LOOKALIKES.keys()].join("")}]`, "gu");

/** A look-alike that is a letter of another script than Latin. */
export const FOREIGN_LETTER = new RegExp(
	`[${[...LOOKALIKES.keys()].filter((letter) => /\p{L}/u.test(letter) && !/\p{Script=Latin}/u.test(letter)).join("")}]`,
	"u",
);

function createTable(groups: Record<string, string>): Map<string, string> {
	const table = new Map<string, string>();
	for (const [plain, others] of Object.entries(groups))
		for (const other of others) if (!table.has(other)) table.set(other, plain);
	// Letters in dark circles and boxes, and the letters that flags are made of.
	for (const start of [0x1f150, 0x1f170, 0x1f1e6]) {
		for (let index = 0; index < 26; index++)
			table.set(String.fromCodePoint(start + index), String.fromCharCode(97 + index));
	}
	return table;
}
