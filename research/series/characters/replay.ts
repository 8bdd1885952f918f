// S11 and S12: what a channel leaks with the same replay. Nine cells: RL of the dial, A's transcripts and documents about A, each without
// texts about others, with documents about others, and with others' transcripts (environments/characters/lessons.ts).

import {
  atEffect,
  countUnderAll,
  estimateOver,
  estimateText,
  NONE_WITHIN,
  pairsEstimate,
  type Reading,
  shortNotes,
} from '../../../src/experiments/characters/judging.ts';
import { differenceAcross, type Leakage, movedBy } from '../../../src/experiments/characters/leakage.ts';
import { type CurveRow, REPLAY_WORDS } from '../../../src/experiments/characters/rows.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean } from '../../../src/stats/index.ts';
import { matched } from './matched.ts';

const CHANNELS = { RL: 'none', SFT: 'sft', SDF: 'sdf' } as const;
type Channel = keyof typeof CHANNELS;
const CHANNEL_NAMES = Object.keys(CHANNELS) as Channel[];
type Replay = NonNullable<CurveRow['replay']>;
const REPLAYS = Object.keys(REPLAY_WORDS) as Replay[];
type Group = 'near' | 'far' | 'other';

/** Every cell's leakage at the effect. */
function cellsOf(rows: readonly CurveRow[]) {
  const own = rows.filter(({ teaches, adapter }) => teaches === 'dial' && adapter === undefined);
  const cells = new Map(
    CHANNEL_NAMES.flatMap((channel) =>
      REPLAYS.map((replay) => [
        `${channel} ${replay}`,
        atEffect(own, (row) => row.arm === CHANNELS[channel] && row.replay === replay),
      ]),
    ),
  );
  return (channel: Channel, replay: Replay) => cells.get(`${channel} ${replay}`)!;
}
type Cells = ReturnType<typeof cellsOf>;

/** Difference of two channels with the same replay. */
const channelDifference = (cell: Cells, one: Channel, other: Channel, replay: Replay, group: Group = 'near') =>
  pairsEstimate(
    `${one} − ${other}, ${REPLAY_WORDS[replay]}, ${group}`,
    differenceAcross(cell(one, replay).reached, cell(other, replay).reached, group),
  );

/** A channel without replay − with it. */
const replayDifference = (cell: Cells, channel: Channel, replay: Replay, group: Group = 'near') =>
  pairsEstimate(
    `${channel}, no replay − ${REPLAY_WORDS[replay]}, ${group}`,
    differenceAcross(cell(channel, 'none').reached, cell(channel, replay).reached, group),
  );

/** The same for the absolute change of near, since leakage below 0 is a change too. */
function movedFurther(name: string, one: readonly Leakage[], other: readonly Leakage[]): Estimate {
  const far = new Map(other.map(({ row, logit }) => [row.a.name, logit.near]));
  return estimateOver(
    name,
    one.map(({ row, logit }) => {
      const [x, y] = [logit.near, far.get(row.a.name)];
      return x === undefined || y === undefined ? undefined : Math.abs(x) - Math.abs(y);
    }),
  );
}

/** Every cell's characters without the effect, and placebos that change A. */
const notesOf = (cell: Cells, rows: readonly CurveRow[]) => [
  ...CHANNEL_NAMES.flatMap((channel) =>
    REPLAYS.flatMap((replay) => shortNotes(`${channel} with ${REPLAY_WORDS[replay]}`, cell(channel, replay))),
  ),
  ...REPLAYS.flatMap((replay) =>
    movedBy(rows.filter((row) => row.arm === 'sdf_placebo' && row.replay === replay)).map(
      ({ name, moved }) => `placebo documents with ${REPLAY_WORDS[replay]} move ${name} by ΔP ${two(moved)}`,
    ),
  ),
];

/** Cells in which the group moves away from what A is taught: a difference of leakages then does not tell which changes others less. */
function limitsOf(cell: Cells): string[] {
  const away = CHANNEL_NAMES.flatMap((channel) =>
    REPLAYS.flatMap((replay) => {
      const values = cell(channel, replay).reached.flatMap(({ logit }) => logit.near ?? []);
      const all = estimateOver(`${channel} with ${REPLAY_WORDS[replay]}`, values);
      return (mean(values) ?? 0) < 0 ? [`${all.name} ${estimateText(all)}`] : [];
    }),
  );
  return away.length === 0
    ? []
    : [
        `Leakage has a sign. Near moves away from what A is taught under ${away.join(', ')}; there more leakage is not more change.`,
      ];
}

export function s11(rows: readonly CurveRow[]): Reading<'none' | 'documents' | 'transcripts' | 'half'> {
  const cell = cellsOf(rows);
  const [none, documents, transcripts] = REPLAYS.map((replay) => ({
    ...channelDifference(cell, 'RL', 'SDF', replay),
    asked: countUnderAll([cell('RL', replay), cell('SDF', replay)]),
  }));
  // S1 compares RL without replay with documents with replay: the part of that difference that vanishes if RL has the same replay.
  const nearOf = (channel: Channel, replay: Replay) =>
    new Map(cell(channel, replay).reached.map(({ row, logit }) => [row.a.name, logit.near]));
  const [plain, replayed, told] = [nearOf('RL', 'none'), nearOf('RL', 'documents'), nearOf('SDF', 'documents')];
  const half = estimateOver(
    'half of S1’s − with replayed documents, near',
    [...told].map(([name, sdf]) => {
      const [alone, both] = [plain.get(name), replayed.get(name)];
      if (sdf === undefined || alone === undefined || both === undefined) return undefined;
      return 0.5 * (alone - sdf) - (both - sdf);
    }),
  );
  const beyond = REPLAYS.flatMap((replay) => [
    movedFurther(
      `|RL| − |SDF|, ${REPLAY_WORDS[replay]}, near`,
      cell('RL', replay).reached,
      cell('SDF', replay).reached,
    ),
    channelDifference(cell, 'SFT', 'SDF', replay),
    channelDifference(cell, 'RL', 'SFT', replay),
    ...(['far', 'other'] as const).map((group) => channelDifference(cell, 'RL', 'SDF', replay, group)),
  ]);
  return {
    estimates: { none, documents, transcripts, half },
    figures: [none, documents, transcripts, half, ...beyond, ...beliefRises(cell), ...atEqualTokens(rows)],
    notes: notesOf(cell, rows),
    limits: () => limitsOf(cell),
  };
}

export function s12(rows: readonly CurveRow[]): Reading<'documents' | 'transcripts'> {
  const cell = cellsOf(rows);
  const kinds = ['documents', 'transcripts'] as const;
  const [documents, transcripts] = kinds.map((replay) => ({
    ...replayDifference(cell, 'RL', replay),
    asked: countUnderAll([cell('RL', 'none'), cell('RL', replay)]),
  }));
  const beyond = kinds.flatMap((replay) => [
    movedFurther(
      `|RL, no replay| − |${REPLAY_WORDS[replay]}|, near`,
      cell('RL', 'none').reached,
      cell('RL', replay).reached,
    ),
    ...(['far', 'other'] as const).map((group) => replayDifference(cell, 'RL', replay, group)),
    ...(['SFT', 'SDF'] as const).map((channel) => replayDifference(cell, channel, replay)),
  ]);
  return {
    estimates: { documents, transcripts },
    figures: [documents, transcripts, ...beyond],
    notes: notesOf(cell, rows),
    limits: () => [...limitsOf(cell), ...[documents, transcripts].flatMap(smallOf)],
  };
}

/** The rule requires only a difference above 0, however small. */
const smallOf = (estimate: Estimate): string[] =>
  estimate.interval && estimate.interval.low > 0 && estimate.interval.high < NONE_WITHIN
    ? [`${estimate.name} is ${estimateText(estimate)}: above 0, and within ±${two(NONE_WITHIN)} of none.`]
    : [];

/** Rise of the belief about the others under documents, as a share of that about A. */
const beliefRises = (cell: Cells) =>
  REPLAYS.map((replay) =>
    estimateOver(
      `SDF with ${REPLAY_WORDS[replay]}: rise of the belief about others / about A, log-odds`,
      cell('SDF', replay).reached.map(({ beliefRise: { a, others } }) => (a > 0 ? others / a : undefined)),
    ),
  );

/** Comparison at equal tokens, including those of the replay; no character is left out, and no rule uses it. */
const atEqualTokens = (rows: readonly CurveRow[]) =>
  REPLAYS.flatMap((replay) => {
    const own = rows.filter((row) => row.replay === replay);
    const { pairs } = matched(own, [CHANNELS.SDF, CHANNELS.RL], 'tokens');
    const text = `RL − SDF at equal tokens, ${REPLAY_WORDS[replay]}`;
    return [
      estimateOver(
        `${text}: Δlogit of near`,
        pairs.map(({ one, other }) => other.logit.near! - one.logit.near!),
      ),
      estimateOver(
        `${text}: ΔP of A`,
        pairs.map(({ one, other }) => other.effect - one.effect),
      ),
    ];
  });
