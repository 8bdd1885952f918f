// The headline of every environment, in the order of README and of the page's first screen. Each states the judgement of its question, in the
// words of the verdict.

import type { EnvironmentHeadline } from '../../src/findings/headline.ts';
import { CODE, INSTRUCTIONS } from './hacks.ts';
import { type Claim, type SourcedHeadline, sourcedHeadlineOf } from './headline-of.ts';
import { ARITHMETIC, CHAIN, EXPLAIN } from './learning.ts';
import { AGENTS, CHARACTERS, LOOKUP } from './others.ts';
import type { Sources } from './sources.ts';

export const CLAIMS: readonly Claim[] = [
  ...[CODE, ARITHMETIC, CHAIN, AGENTS, CHARACTERS, EXPLAIN, LOOKUP],
  INSTRUCTIONS,
];

export const sourcedHeadlines = (sources: Sources): SourcedHeadline[] =>
  CLAIMS.map((claim) => sourcedHeadlineOf(claim, sources));

export const headlinesOf = (sources: Sources): EnvironmentHeadline[] =>
  sourcedHeadlines(sources).map(({ headline }) => headline);
