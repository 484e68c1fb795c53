/** How a process that runs for long says what happens: one event with a name, a sentence and fields. */
export interface Teller {
	/** What only somebody who looks for something wants to read. */
	detail(event: string, message: string, fields?: Readonly<Record<string, unknown>>): void;
	info(event: string, message: string, fields?: Readonly<Record<string, unknown>>): void;
	warn(event: string, message: string, fields?: Readonly<Record<string, unknown>>): void;
	error(event: string, message: string, fields?: Readonly<Record<string, unknown>>): void;
}
