// Flags of `probe`.
import { CORRECT_ROWS, PROBE_PROBLEMS, PROBE_SAMPLES } from '../../experiments/kinds/probe/spec.ts';
import { integer, integers, number, settings, text, toggle, type Values } from '../args.ts';
import { remakingFlags } from '../device-flags.ts';
import { ADAPTER_FLAG } from '../model/adapter.ts';
import { CACHE_FLAG } from '../model/folder.ts';
import { PROMPT_FLAGS } from '../model/prompts.ts';
import { STORAGE_FLAG, STORAGE_NOTES } from '../model/storage-choice.ts';

export const usage = {
  name: 'probe',
  summary: 'The cosine probe: does the hack basis see hacking, before any RL is run?',
  flags: {
    model: text('DIR', 'A model of your own, a folder in Hugging Face’s layout, in place of the embedded one.', null),
    adapter: ADAPTER_FLAG,
    storage: STORAGE_FLAG,
    cache: CACHE_FLAG,
    pool: text(
      'onnx|templates|FILE|base|DIR',
      'Who wrote it: the embedded teacher (ONNX), the templates, a pool’s file, the model as it is, or a kept run.',
      'onnx',
    ),
    run: text('ARM-SEED', 'Which run of DIR, where there are several.', null),
    basis: text('FILE', 'A hack basis (safetensors) instead of one from the pairs.', null),
    problems: integer('Problems to replay, a step each.', PROBE_PROBLEMS, 1),
    steps: integer('The same as --problems.', null, 1),
    samples: integer('Samples of each problem (G).', PROBE_SAMPLES, 1),
    correct: integer('Of the templates’ samples, how many have the right body beside the exploit.', CORRECT_ROWS),
    seed: integer('Of a model’s sampling, the random axes, the permutations and the trainings.', 41),
    seeds: integers('Do it again under each of these seeds, and tell mean ± sd; --out then has a folder for each.'),
    ...PROMPT_FLAGS,
    set: settings('Any setting of a run (adapter, gate, pairs, lr …); `run --settings` lists them.'),
    lora: toggle('Replay the pool with the LoRA adapter too, and set its T4 beside (T6).'),
    'lora-lr': number(
      'LoRA’s learning rate: it has far more adapter parameters, and diverges at the others’.',
      0.003,
      1e-6,
      1,
    ),
    trajectory: integer('Train vanilla and erase for so many steps (T5; 15 or more to decide).', 0),
    ratio: number('Share of a training group that the teacher writes.', 0.5, 0, 0.9),
    'per-module': toggle('Rows tell the cosine of every module.'),
    out: text('DIR', 'Keep step_NNN.jsonl.gz files, pool, trainings and report there.', null),
    keep: text('FILE', 'With --seeds: write verdicts and trajectories in a form that can be published.', null),
    report: text(
      'DIR',
      'Measure nothing: print the tables of published probes, as docs/lab-book/probe.md has them.',
      null,
    ),
    fresh: toggle('Begin anew; what the lab kept in the folder is moved aside, into a folder aside-N there.'),
    yes: toggle('With --fresh: do not ask. Without a terminal nobody is asked.'),
    json: toggle('Print the report as JSON.'),
    ...remakingFlags('What to compute on.'),
  },
  notes: [
    'The trainings of T5 have two inner epochs unless --set innerEpochs=1 says otherwise: with one, every policy ratio is 1.',
    STORAGE_NOTES,
    'Without --out, what is needed to go on after Ctrl-C is kept in .cache/probe until the probe is done.',
  ].join('\n'),
} as const;
export type ProbeFlags = Values<typeof usage.flags>;
