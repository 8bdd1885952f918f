// Measures simulated minutes per second in agent environments, without a model: how fast runs of scripted agents go on one core. A run builds a
// scenario from the file twice, plays its oracle and the agent, and gives the verdict.
import { playScripted, type ScriptedName } from '@projected-grpo-lab/are/agents/play.ts';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { mail, sampleTrace, TWO_TURNS, toAgent, toUser } from '@projected-grpo-lab/are/testing/sample.ts';
import { type Bench, figure, median } from './table.ts';

const ROUNDS = 7;
/** Runs per row in each round. */
const RUNS = 10;
/** Simulated seconds that the benchmark gives a scenario. */
const DURATION = 1800;

const ONE_TURN = [toAgent('u1', 'Write to Ana.'), mail('o1', ['u1']), toUser('o2', ['o1'])];
const ROWS: readonly { label: string; agent: ScriptedName; events: typeof TWO_TURNS }[] = [
  { label: 'one turn, silent', agent: 'silent', events: ONE_TURN },
  { label: 'two turns, silent (a condition is asked each second)', agent: 'silent', events: TWO_TURNS },
  { label: 'two turns, oracle', agent: 'oracle', events: TWO_TURNS },
];

export const areBench: Bench = {
  name: 'are',
  async run() {
    const measured = ROWS.map(() => ({ minutes: [] as number[], runs: [] as number[] }));
    // In the first round V8 compiles, so it is not counted.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [place, { agent, events }] of ROWS.entries()) {
        let seconds = 0;
        const start = performance.now();
        for (let run = 0; run < RUNS; run++) {
          const played = await playScripted(sampleTrace(events, DURATION), agent, { classes: IMPORTABLE_CLASSES });
          seconds += played.environment.clock.passed();
        }
        const took = (performance.now() - start) / 1000;
        if (round === 0) continue;
        measured[place]?.minutes.push(seconds / 60 / took);
        measured[place]?.runs.push(RUNS / took);
      }
    }
    return [
      {
        title: 'Agent environments without a model, one core',
        note: `Scenarios of ${DURATION} simulated seconds; medians of ${ROUNDS} interleaved rounds of ${RUNS} runs.`,
        columns: ['run', 'simulated minutes / s', 'runs / s'],
        rows: ROWS.map(({ label }, place) => [
          label,
          figure(median(measured[place]?.minutes ?? [])),
          figure(median(measured[place]?.runs ?? [])),
        ]),
      },
    ];
  },
};
