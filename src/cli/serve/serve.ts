// `serve`: a model, or a kept run's three, behind an API that OpenAI's clients speak, on this machine.
import { DeviceError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { Batches } from '../../lab/serving/batches.ts';
import { integer, named, text, toggle } from '../args.ts';
import { command } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { CACHE_FLAG, MODEL_FLAG } from '../model/folder.ts';
import { PROMPT_FLAGS } from '../model/prompts.ts';
import { STORAGE_FLAG } from '../model/storage-choice.ts';
import { isLoopback, serveApi } from './http.ts';
import { openModels } from './models.ts';

const usage = {
  name: 'serve',
  summary: 'Serves a model of your own, or a kept run, to clients of OpenAI’s API on this machine.',
  flags: {
    model: MODEL_FLAG,
    adapter: named<readonly string[]>(
      'A LoRA adapter of PEFT, DIR or NAME=DIR (several times; also OWNER/NAME of the Hub): served beside its base, under its own name. With --run, the one in the run’s base.',
      [],
      (given) => given,
    ),
    run: text('DIR', 'A folder of `run --out`: its models are served as trained, deployed and base.', null),
    'arm-seed': text('ARM-SEED', 'Which run of it, where it keeps several.', null),
    cache: CACHE_FLAG,
    ...PROMPT_FLAGS,
    host: text('ADDRESS', 'Where it listens; any but 127.0.0.1 and [::1] needs --api-key.', '127.0.0.1'),
    port: integer('0 takes a free one.', 8000, 0, 65_535),
    'api-key': text('KEY', 'Only requests with this bearer token are answered; anybody’s where absent.', null),
    'allow-origin': text('ORIGIN', 'A page of this origin may ask, such as http://localhost:3000.', null),
    context: integer(
      'Most tokens of a prompt and its answer; the model’s positions where absent, up to 4096.',
      null,
      2,
    ),
    batch: integer('Most sequences that are decoded together.', 64, 1, 512),
    'max-queue': integer('Most requests that wait; a further one is refused with status 429.', 64, 1, 10_000),
    ...deviceFlags('What to compute on.'),
    storage: STORAGE_FLAG,
    json: toggle('Print addresses, names and bounds as JSON.'),
  },
  notes: [
    'Chat and legacy completions, streamed or whole: stop, seed, n, logprobs, echo with the prompt’s log-probabilities, max_tokens and',
    'max_completion_tokens, tools where the chat template has them. Without `temperature` a request is sampled at 1, as the API has it, whatever',
    'generation_config.json says. The lab samples from the whole distribution: top_p, top_k, penalties, logit_bias and response_format are refused',
    'unless they change nothing. The same request and seed give the bytes of `generate`. Log-probabilities are natural logarithms at temperature 1.',
    'Requests that wait together are decoded together. Ctrl-C ends the answer in hand.',
  ].join('\n'),
} as const;

export const serve = command(usage, async ({ flags }, context) => {
  const { out, progress, signal } = context;
  const { host, port, 'api-key': key, 'allow-origin': allowOrigin } = flags;
  if (!isLoopback(host) && key === null)
    throw new SpecError(`--host ${host}: other machines could ask.`, 'Add --api-key KEY, or leave --host out.');
  if (allowOrigin === '*' && key !== null)
    throw new SpecError('--allow-origin *: any page could try the key.', 'Name the page’s origin.');
  const { models, limits, device, free } = await openModels(flags, context);
  try {
    const batches = new Batches(limits, flags['max-queue'], yieldToEvents, (error) => error instanceof DeviceError);
    const since = Math.floor(Date.now() / 1000);
    const api = await serveApi({ host, port, key, allowOrigin, models, batches, since, note: progress.note });
    try {
      const base = `http://${host}:${api.port}`;
      const names = models.map(({ name }) => name);
      const [{ context: longest }] = models;
      if (flags.json) {
        const { sequences, cacheRows } = limits;
        const bounds = { context: longest, sequences, cacheRows, waiting: flags['max-queue'] };
        out(JSON.stringify({ base: `${base}/v1`, health: `${base}/health`, models: names, device, bounds }));
      } else {
        out(`Base URL              ${base}/v1`);
        out(`Chat completions      ${base}/v1/chat/completions`);
        out(`Completions           ${base}/v1/completions`);
        for (const { name, about } of models) out(`Model                 ${name}  (${about})`);
        out(`Longest text          ${longest} tokens with its answer (lm-eval: max_length=${longest})`);
      }
      await Promise.race([stopped(signal), batches.lost]);
    } finally {
      await api.close();
    }
  } finally {
    free();
  }
  throw new StoppedError('stopped', 'Start it again.');
});

/** Resolves when the command is to end. */
const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
