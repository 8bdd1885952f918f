// The commands by name: their line of the help page, and how each is loaded on demand.
import type { KindId } from '../experiments/records/kind.ts';
import type { Command } from './command.ts';

interface CommandEntry {
  /** One line of the help page. */
  summary: string;
  load(): Promise<Command>;
}

/** The command that makes each type of kept record. Its --out is the record's folder. */
export const KIND_COMMANDS = {
  run: {
    summary: 'trains arms × seeds and prints the final table',
    load: async () => (await import('./run/run.ts')).run,
  },
  probe: {
    summary: 'asks whether the hack basis sees hacking, before any RL is run',
    load: async () => (await import('./probe/probe.ts')).probe,
  },
} as const satisfies Record<KindId, CommandEntry>;

const { run, ...otherKinds } = KIND_COMMANDS;

/** In the order of the help page. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run,
  generate: {
    summary: 'lets a model of your own answer a prompt',
    load: async () => (await import('./model/generate.ts')).generate,
  },
  serve: {
    summary: 'serves a model or a kept run to clients of OpenAI’s API',
    load: async () => (await import('./serve/serve.ts')).serve,
  },
  trace: {
    summary: 'follows a series of LoRA adapters: norm, drift, overlap with a hack basis',
    load: async () => (await import('./model/trace.ts')).trace,
  },
  synthesise: {
    summary: 'makes one reference answer of several attempts, by every estimator',
    load: async () => (await import('./cat/synthesise.ts')).synthesise,
  },
  improve: {
    summary: 'lets models revise their own answers step by step',
    load: async () => (await import('./exit/improve.ts')).improve,
  },
  instructions: {
    summary: 'measures how well a model of your own follows instructions (IFEval)',
    load: async () => (await import('./instructions.ts')).instructions,
  },
  characters: {
    summary: 'teaches one of many characters, and measures the others',
    load: async () => (await import('./characters/characters.ts')).characters,
  },
  download: {
    summary: 'fetches a model of the Hugging Face Hub, and goes on where it was stopped',
    load: async () => (await import('./model/download.ts')).download,
  },
  doctor: {
    summary: 'tells what of a model’s folder is used, left out or refused',
    load: async () => (await import('./model/doctor.ts')).doctor,
  },
  plan: {
    summary: 'tells whether a model fits, before anything is downloaded',
    load: async () => (await import('./model/plan.ts')).plan,
  },
  model: {
    summary: 'makes a folder of a small real model, MiniMind2-Small',
    load: async () => (await import('./model/small.ts')).smallModel,
  },
  svd: {
    summary: 'factors every Linear of a model and keeps the factors',
    load: async () => (await import('./model/svd.ts')).svd,
  },
  extract: {
    summary: 'extracts a hack basis of a model from labelled pairs',
    load: async () => (await import('./model/extract.ts')).extract,
  },
  problems: {
    summary: 'shows a data set’s first rows, and writes them as a file of problems',
    load: async () => (await import('./make/problems.ts')).problems,
  },
  pool: {
    summary: 'builds a teacher pool from the model, a run or the templates',
    load: async () => (await import('./make/pool.ts')).pool,
  },
  export: {
    summary: 'writes a trained student as plain weights or as ONNX',
    load: async () => (await import('./model/export.ts')).exportModel,
  },
  ...otherKinds,
  sweep: {
    summary: 'trains configurations × seeds, on one machine or several',
    load: async () => (await import('./sweep/sweep.ts')).sweep,
  },
  worker: {
    summary: 'takes runs of sweeps from a queue on Redis',
    load: async () => (await import('./sweep/queue/worker.ts')).queueWorker,
  },
  tables: {
    summary: 'writes the steps of a run or a sweep for pandas, TensorBoard and others',
    load: async () => (await import('./tables/tables.ts')).tables,
  },
  are: {
    summary: 'plays and judges scenarios of agent environments',
    load: async () => (await import('./agents/are.ts')).are,
  },
  parity: {
    summary: 'compares the engine with a folder of reference tensors',
    load: async () => (await import('./parity/parity.ts')).parity,
  },
  devices: { summary: 'lists what the lab can compute on', load: async () => (await import('./devices.ts')).devices },
  teacher: {
    summary: 'finetunes the embedded model to hack and writes it as ONNX',
    load: async () => (await import('./make/teacher.ts')).teacher,
  },
  demo: {
    summary: 'publishes an environment’s demo for the page’s first sight',
    load: async () => (await import('./make/demo.ts')).demo,
  },
  pretrain: { summary: 'trains the embedded model', load: async () => (await import('./make/pretrain.ts')).pretrain },
  grade: {
    summary: 'grades completions from a file of JSON lines',
    load: async () => (await import('./grade/grade.ts')).grade,
  },
};
