// Random numbers: keys (threefry.ts) and sequences drawn from a key (counter-rng.ts).
export { CounterRng } from './counter-rng.ts';
export * from './threefry.ts';
