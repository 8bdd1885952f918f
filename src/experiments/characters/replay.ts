// S11 and S12: what a channel leaks with the same replay beside it. Nine cells: RL of the dial, A's transcripts and documents about A, each
// with no texts about others, with documents about others, and with others' transcripts (environments/characters/lessons.ts).

import { askedUnder, atEffect, ofPairs, over, type Reading, shortNotes } from './judging.ts';
import { across, type Leakage } from './leakage.ts';
import { matched } from './matched.ts';
import type { CurveRow } from './rows.ts';

const CHANNELS = { RL: 'none', SFT: 'sft', SDF: 'sdf' } as const;
type Channel = keyof typeof CHANNELS;
const REPLAYS = ['none', 'documents', 'transcripts'] as const;
type Replay = (typeof REPLAYS)[number];
const SAID: Readonly<Record<Replay, string>> = {
  none: 'no replay',
  documents: 'documents about others',
  transcripts: 'others’ transcripts',
};
const GROUPS = ['near', 'far', 'other'] as const;

/** Every cell at the effect. */
function cellsOf(rows: readonly CurveRow[]) {
  const own = rows.filter(({ teaches, adapter }) => teaches === 'dial' && adapter === undefined);
  const at = (channel: Channel, replay: Replay) =>
    atEffect(own, (row) => row.arm === CHANNELS[channel] && row.replay === replay);
  const cells = new Map(
    (Object.keys(CHANNELS) as Channel[]).flatMap((channel) =>
      REPLAYS.map((replay) => [`${channel} ${replay}`, at(channel, replay)] as const),
    ),
  );
  return (channel: Channel, replay: Replay) => cells.get(`${channel} ${replay}`)!;
}
type Cells = ReturnType<typeof cellsOf>;

/** One channel − another with the same replay. */
const channels = (cell: Cells, one: Channel, other: Channel, replay: Replay, group: (typeof GROUPS)[number] = 'near') =>
  ofPairs(
    `${one} − ${other}, ${SAID[replay]}, ${group}`,
    across(cell(one, replay).reached, cell(other, replay).reached, group),
  );

/** One channel without replay − with it. */
const saved = (cell: Cells, channel: Channel, replay: Replay, group: (typeof GROUPS)[number] = 'near') =>
  ofPairs(
    `${channel}, no replay − ${SAID[replay]}, ${group}`,
    across(cell(channel, 'none').reached, cell(channel, replay).reached, group),
  );

/** Every cell's characters that never have the effect. */
const shorts = (cell: Cells) =>
  (Object.keys(CHANNELS) as Channel[]).flatMap((channel) =>
    REPLAYS.flatMap((replay) => shortNotes(`${channel} with ${SAID[replay]}`, cell(channel, replay))),
  );

export function s11(rows: readonly CurveRow[]): Reading<'none' | 'documents' | 'transcripts' | 'half'> {
  const cell = cellsOf(rows);
  const [none, documents, transcripts] = REPLAYS.map((replay) => ({
    ...channels(cell, 'RL', 'SDF', replay),
    asked: askedUnder([cell('RL', replay), cell('SDF', replay)]),
  }));
  // S1 compares RL without replay with documents that have it: what of that difference is gone where RL has the same.
  const nearOf = (channel: Channel, replay: Replay) =>
    new Map(cell(channel, replay).reached.map(({ row, logit }: Leakage) => [row.a.name, logit.near]));
  const [plain, replayed, told] = [nearOf('RL', 'none'), nearOf('RL', 'documents'), nearOf('SDF', 'documents')];
  const half = over(
    'half of (RL, no replay − SDF, documents about others) − (RL − SDF, documents about others), near',
    [...told].map(([name, sdf]) => {
      const [alone, both] = [plain.get(name), replayed.get(name)];
      if (sdf === undefined || alone === undefined || both === undefined) return undefined;
      return 0.5 * (alone - sdf) - (both - sdf);
    }),
  );
  const beyond = REPLAYS.flatMap((replay) => [
    channels(cell, 'SFT', 'SDF', replay),
    channels(cell, 'RL', 'SFT', replay),
    ...(['far', 'other'] as const).map((group) => channels(cell, 'RL', 'SDF', replay, group)),
  ]);
  return {
    estimates: { none, documents, transcripts, half },
    figures: [none, documents, transcripts, half, ...beyond, ...beliefs(cell), ...atEqualTokens(rows)],
    notes: shorts(cell),
  };
}

export function s12(rows: readonly CurveRow[]): Reading<'documents' | 'transcripts'> {
  const cell = cellsOf(rows);
  const [documents, transcripts] = (['documents', 'transcripts'] as const).map((replay) => ({
    ...saved(cell, 'RL', replay),
    asked: askedUnder([cell('RL', 'none'), cell('RL', replay)]),
  }));
  const beyond = (['documents', 'transcripts'] as const).flatMap((replay) => [
    ...(['far', 'other'] as const).map((group) => saved(cell, 'RL', replay, group)),
    ...(['SFT', 'SDF'] as const).map((channel) => saved(cell, channel, replay)),
  ]);
  return {
    estimates: { documents, transcripts },
    figures: [documents, transcripts, ...beyond],
    notes: shorts(cell),
  };
}

/** What documents make documents tell of the others, of what they make them tell of A. */
const beliefs = (cell: Cells) =>
  REPLAYS.map((replay) =>
    over(
      `SDF with ${SAID[replay]}: rise of the belief about others / about A, log-odds`,
      cell('SDF', replay).reached.map(({ beliefRise: { a, others } }) => (a > 0 ? others / a : undefined)),
    ),
  );

/** Where both have trained on equally many tokens, those of the replay among them; nobody is left out, and no rule is made of it. */
const atEqualTokens = (rows: readonly CurveRow[]) =>
  REPLAYS.map((replay) => {
    const { pairs } = matched(
      rows.filter((row) => row.replay === replay),
      [CHANNELS.SDF, CHANNELS.RL],
      'tokens',
    );
    return over(
      `RL − SDF at equal tokens, ${SAID[replay]}: Δlogit of near`,
      pairs.map(({ one, other }) => other.logit.near! - one.logit.near!),
    );
  });
