// Waiting requests, and the batches in which they are answered: those with the same model and temperature are decoded together, since a
// step of many sequences costs little more than one of a single sequence. A sequence depends only on its prompt, its key and its settings,
// so an answer does not depend on the other requests.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { Generated, GenerateRequest, RankedToken } from '../../engine/types.ts';
import { AnswerStream } from '../../text/answer-stream.ts';
import type { TextCodec } from '../../text/codec.ts';
import { ApiError } from './api-error.ts';

/** Samples and scores for one served name. */
export interface Writer {
  /** Folds the name's adapter in if another one is folded in. Called before each batch. */
  prepare(): void;
  generate(request: GenerateRequest): Promise<Generated[]>;
  ranked(texts: readonly (readonly number[])[], count: number, signal?: AbortSignal): Promise<RankedToken[][]>;
}

/** Limits of a batch, within which its memory was planned. */
export interface BatchLimits {
  sequences: number;
  /** Rows of the key/value cache: the prompts, and for each sequence the most tokens of any sequence in the batch. */
  cacheRows: number;
  /** Tokens of one forward pass over prompts or scored texts. */
  passRows: number;
}

export interface JobRequest {
  readonly writer: Writer;
  readonly codec: TextCodec;
  readonly prompts: readonly (readonly number[])[];
  /** Sequences to sample; empty if prompts are only scored. */
  readonly sequences: readonly { prompt: number; key: readonly [number, number]; maxNew: number }[];
  readonly temperature: number;
  readonly stops: readonly string[];
  /** Number of likeliest tokens at every position; null if not requested. */
  readonly ranks: number | null;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Called with text of a sequence that can no longer change, and its answer so far. */
  readonly onText?: (sequence: number, piece: string, soFar: Written) => void;
}

/** One sequence's answer. */
export interface Written {
  readonly stream: AnswerStream;
  /** Log-probabilities of its tokens, at temperature 1. */
  readonly logprobs: Float32Array;
  /** Ranks of the prompt's and the answer's tokens, one entry fewer than tokens; null if not requested. */
  readonly ranked: readonly RankedToken[] | null;
}

interface Job {
  readonly asked: JobRequest;
  readonly written: { stream: AnswerStream; logprobs: Float32Array; ranked: readonly RankedToken[] | null }[];
  /** Index of the first sequence that no batch has taken yet. */
  next: number;
  resolve(written: readonly Written[]): void;
  reject(error: unknown): void;
}

interface Taken {
  readonly job: Job;
  readonly at: number;
}

const EMPTY = new Float32Array(0);

export class Batches {
  readonly #waiting: Job[] = [];
  readonly #stop = new AbortController();
  #isRunning = false;
  /** Rejects when the device is lost; no request can be answered any more. */
  readonly lost: Promise<never>;
  #lose: (error: unknown) => void = () => {};

  constructor(
    private readonly limits: BatchLimits,
    /** Most waiting requests. */
    private readonly mostWaiting: number,
    /** Waits for one turn of the event loop. */
    private readonly breathe: () => Promise<void>,
    /** Whether an error ends the server. */
    private readonly isFatal: (error: unknown) => boolean,
  ) {
    this.lost = new Promise((_resolve, reject) => {
      this.#lose = reject;
    });
    // A rejection without a listener must not end the process.
    this.lost.catch(() => {});
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.mostWaiting;
  }

  /** Throws ApiError if too many requests are waiting, or the server is stopping. */
  ask(request: JobRequest): Promise<readonly Written[]> {
    if (this.#stop.signal.aborted) throw stopping();
    if (this.isFull)
      throw new ApiError(429, `${this.mostWaiting} requests are waiting already.`, 'Ask again in a moment.', {
        code: 'queue_full',
      });
    return new Promise((resolve, reject) => {
      const { codec, prompts, sequences, stops } = request;
      const written = sequences.map(({ prompt }) => ({
        stream: new AnswerStream(codec, prompts[prompt], codec.endTokens, stops),
        logprobs: EMPTY,
        ranked: null,
      }));
      this.#waiting.push({ asked: request, written, next: 0, resolve, reject });
      void this.#run();
    });
  }

  /** Ends the current batch; waiting requests are refused. */
  stop(): void {
    this.#stop.abort(new StoppedError());
    for (const job of this.#waiting.splice(0)) job.reject(stopping());
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      // Requests that arrive together are in one batch.
      await this.breathe();
      for (;;) {
        const batch = this.#take();
        if (batch === null) return;
        await this.#answer(batch);
        await this.breathe();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #answer({ jobs, taken }: { jobs: readonly Job[]; taken: readonly Taken[] }): Promise<void> {
    try {
      jobs[0].asked.writer.prepare();
      if (taken.length > 0) await this.#write(taken);
      const done = jobs.filter((job) => job.next === job.asked.sequences.length);
      await this.#rank(done.filter(({ asked: { ranks, signal } }) => ranks !== null && !signal.aborted));
      for (const job of done) job.resolve(job.written);
    } catch (error) {
      const isStopping = this.#stop.signal.aborted;
      const reason = isStopping ? stopping() : error;
      for (const job of jobs) {
        job.reject(reason);
      }
      const unfinished = this.#waiting.filter((job) => jobs.includes(job));
      for (const job of unfinished) this.#waiting.splice(this.#waiting.indexOf(job), 1);
      if (!isStopping && this.isFatal(error)) {
        this.#lose(error);
        for (const job of this.#waiting.splice(0)) job.reject(error);
      }
    }
  }

  /**
   * The first waiting job, and all others that can be sampled with it, in order. A job with remaining sequences stays in the queue. Null if
   * none waits.
   */
  #take(): { jobs: readonly Job[]; taken: readonly Taken[] } | null {
    for (const job of this.#waiting.filter(({ asked }) => asked.signal.aborted)) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
      job.reject(job.asked.signal.reason);
    }
    const [first] = this.#waiting;
    if (!first) return null;
    const { sequences: most, cacheRows, passRows } = this.limits;
    const taken: Taken[] = [];
    const jobs: Job[] = [];
    let promptRows = 0;
    let longest = 0;
    for (const job of [...this.#waiting]) {
      const { writer, temperature, sequences, prompts } = job.asked;
      const isAlike = temperature === first.asked.temperature || sequences.length === 0;
      if (writer !== first.asked.writer || !isAlike) continue;
      const known = new Set<number>();
      const begin = job.next;
      while (job.next < sequences.length && taken.length < most) {
        const { prompt, maxNew } = sequences[job.next];
        const rows = promptRows + (known.has(prompt) ? 0 : prompts[prompt].length);
        const room = Math.max(longest, maxNew);
        const isFirst = taken.length === 0;
        if (!isFirst && (rows > passRows || rows + (taken.length + 1) * room > cacheRows)) break;
        known.add(prompt);
        promptRows = rows;
        longest = room;
        taken.push({ job, at: job.next++ });
      }
      const isWhole = job.next === sequences.length;
      if (job.next > begin || isWhole) jobs.push(job);
      if (!isWhole) break;
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
    }
    return { jobs, taken };
  }

  async #write(taken: readonly Taken[]): Promise<void> {
    const { writer, temperature, codec } = taken[0].job.asked;
    const prompts: (readonly number[])[] = [];
    const places = new Map<readonly number[], number>();
    const sequences = taken.map(({ job, at }) => {
      const { prompt, key, maxNew } = job.asked.sequences[at];
      const ids = job.asked.prompts[prompt];
      const place = places.get(ids) ?? prompts.push(ids) - 1;
      places.set(ids, place);
      return { prompt: place, key, maxNew };
    });
    const answers = await writer.generate({
      prompts,
      sequences,
      maxNew: Math.max(...sequences.map(({ maxNew }) => maxNew)),
      temperature,
      endTokens: codec.endTokens,
      signal: this.#stop.signal,
      breathe: this.breathe,
      isOver: (sequence, soFar) => {
        const { job, at } = taken[sequence];
        if (job.asked.signal.aborted) return true;
        hear(job, at, soFar);
        return job.written[at].stream.isOver;
      },
    });
    for (const [i, answer] of answers.entries()) {
      const { job, at } = taken[i];
      if (job.asked.signal.aborted) continue;
      hear(job, at, answer);
      const rest = job.written[at].stream.finish();
      job.asked.onText?.(at, rest, job.written[at]);
    }
  }

  async #rank(jobs: readonly Job[]): Promise<void> {
    const texts = jobs.flatMap((job) => {
      const { sequences, prompts } = job.asked;
      if (sequences.length === 0) return prompts.map((ids, at) => ({ job, at, ids }));
      return sequences.map(({ prompt }, at) => ({ job, at, ids: [...prompts[prompt], ...job.written[at].stream.ids] }));
    });
    while (texts.length > 0) {
      const count = texts[0].job.asked.ranks ?? 0;
      const part: typeof texts = [];
      let rows = 0;
      while (texts.length > 0 && texts[0].job.asked.ranks === count) {
        rows += texts[0].ids.length;
        if (part.length > 0 && rows > this.limits.passRows) break;
        part.push(texts.shift() as (typeof texts)[number]);
      }
      const { writer } = part[0].job.asked;
      const found = await writer.ranked(
        part.map(({ ids }) => ids),
        count,
        this.#stop.signal,
      );
      for (const [i, { job, at, ids }] of part.entries()) {
        job.written[at] ??= { stream: new AnswerStream(job.asked.codec, ids, [], []), logprobs: EMPTY, ranked: null };
        job.written[at].ranked = found[i];
      }
      await this.breathe();
    }
  }
}

/** Adds the new tokens to the sequence's text. */
function hear({ written, asked: { onText } }: Job, at: number, { tokens, logprobs }: Generated): void {
  const one = written[at];
  const { stream } = one;
  const known = stream.ids.length;
  let piece = '';
  for (const id of tokens.slice(known)) piece += stream.push(id);
  one.logprobs = logprobs.slice(0, stream.ids.length);
  if (piece !== '' || stream.ids.length > known) onText?.(at, piece, one);
}

const stopping = () => new ApiError(503, 'The server is stopping.', 'Start it again.', { code: 'server_stopping' });
