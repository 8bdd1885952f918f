// The published demos: finished experiments that the page shows before anything has run in this browser, and as the pictures of the
// environments' cards. Each is fetched once; one that cannot be had is no error.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { demoPath, type PublishedDemo, readDemo } from '../../experiments/analysis/demo.ts';
import { type DemoSamples, readSamples, samplesPath } from '../../experiments/analysis/demo-samples.ts';
import { type DemoSteps, demoStepsPath, readDemoSteps } from '../../experiments/analysis/demo-steps.ts';
import { type EnvironmentHeadline, HEADLINES_PATH, readHeadlines } from '../../findings/headline.ts';
import { type Fetch, publishedFiles } from '../published-file.ts';
import type { Story } from './stories.ts';

declare global {
  /** The first environment's, asked for by the page's head: null where it could not be had. */
  var firstDemo: Promise<unknown> | undefined;
  /** The same as soon as it is there, so that it can be in the first paint. */
  var firstDemoNow: unknown;
  /** What the many seeds of every environment say, as the two above. */
  var firstHeadlines: Promise<unknown> | undefined;
  var firstHeadlinesNow: unknown;
}

type Stories = typeof import('./stories.ts');

/** By environment: its published file, below `public/`, and the story that it holds. */
const STORIES: Readonly<Record<string, { path: string; of(stories: Stories, file: unknown): Story | null }>> = {
  chain: { path: 'results/demo/chain.chains.json', of: (stories, file) => stories.readChainStory(file) },
  characters: { path: 'results/demo/characters.replies.json', of: (stories, file) => stories.readRepliesStory(file) },
};

export interface Published {
  /** Null where there is none. */
  load(environment: string): Promise<PublishedDemo | null>;
  /** What has arrived; undefined while it is on its way. */
  now(environment: string): PublishedDemo | null | undefined;
  /** Some of its rollouts; null where there are none. */
  samples(environment: string): Promise<DemoSamples | null>;
  /** What no rollout of it shows alone; null of an environment without. */
  story(environment: string): Promise<Story | null>;
  /** Its steps one by one; null where there are none. */
  steps(environment: string): Promise<DemoSteps | null>;
  /** What many seeds of it say; null where nothing is published of it. */
  headline(environment: string): Promise<EnvironmentHeadline | null>;
  /** What has arrived; undefined while they are on their way. */
  headlineNow(environment: string): EnvironmentHeadline | null | undefined;
}

/** @param first the environment that the page's head has asked for already */
export function createPublished(base: string, first: string, get?: Fetch): Published {
  const files = publishedFiles(base, get);
  const arrived = new Map<string, PublishedDemo | null>();

  async function fetchJson(path: string): Promise<unknown> {
    try {
      return parseJsonText((await files.text(path)) ?? 'null');
    } catch {
      return null;
    }
  }

  async function fetchDemo(environment: string): Promise<PublishedDemo | null> {
    const early = environment === first ? readDemo(await globalThis.firstDemo) : null;
    return early ?? readDemo(await fetchJson(demoPath(environment)));
  }

  /** What makes one of its file comes with the file. */
  async function fetchStory(environment: string): Promise<Story | null> {
    if (!Object.hasOwn(STORIES, environment)) return null;
    const [stories, file] = await Promise.all([import('./stories.ts'), fetchJson(STORIES[environment].path)]);
    return STORIES[environment].of(stories, file);
  }

  let headlines: Promise<readonly EnvironmentHeadline[]> | null = null;
  let headlinesNow: readonly EnvironmentHeadline[] | null = null;
  const headlineIn = (all: readonly EnvironmentHeadline[], environment: string) =>
    all.find((one) => one.environment === environment) ?? null;
  async function fetchHeadlines(): Promise<readonly EnvironmentHeadline[]> {
    const early = readHeadlines(await globalThis.firstHeadlines);
    headlinesNow = early.length > 0 ? early : readHeadlines(await fetchJson(HEADLINES_PATH));
    return headlinesNow;
  }

  return {
    load: onceEach(async (environment) => {
      const demo = await fetchDemo(environment);
      if (!arrived.has(environment)) arrived.set(environment, demo);
      return arrived.get(environment) ?? null;
    }),
    now(environment) {
      const early = environment === first && !arrived.has(environment) ? readDemo(globalThis.firstDemoNow) : null;
      if (early) arrived.set(environment, early);
      return arrived.get(environment);
    },
    async headline(environment) {
      headlines ??= fetchHeadlines();
      return headlineIn(await headlines, environment);
    },
    headlineNow(environment) {
      const early = headlinesNow ?? readHeadlines(globalThis.firstHeadlinesNow);
      return headlinesNow || early.length > 0 ? headlineIn(early, environment) : undefined;
    },
    samples: onceEach(async (environment) => readSamples(await fetchJson(samplesPath(environment)))),
    story: onceEach(fetchStory),
    steps: onceEach(async (environment) => readDemoSteps(await fetchJson(demoStepsPath(environment)))),
  };
}

/** Fetched for each environment when it is first asked for. */
function onceEach<File>(load: (environment: string) => Promise<File>): (environment: string) => Promise<File> {
  const known = new Map<string, Promise<File>>();
  return (environment) => {
    const loading = known.get(environment) ?? load(environment);
    known.set(environment, loading);
    return loading;
  };
}
