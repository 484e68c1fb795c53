/**
 * Bounds on time that only a hang or a blow-up passes. A machine that builds for others does several things at once and is slower
 * by some factor; how fast something is belongs to `npm run bench`.
 */
export const patient = (ms: number): number => (process.env.CI ? 6 : 2) * ms;
