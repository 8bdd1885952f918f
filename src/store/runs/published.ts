// The published demos: finished experiments that the page shows before anything has run in this browser, and that illustrate the
// environments' cards. Each is fetched once. A missing demo is not an error.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { demoPath, type PublishedDemo, readDemo } from '../../experiments/analysis/demo.ts';
import { type DemoSamples, readSamples, samplesPath } from '../../experiments/analysis/demo-samples.ts';
import { type DemoSteps, demoStepsPath, readDemoSteps } from '../../experiments/analysis/demo-steps.ts';
import { type EnvironmentHeadline, HEADLINES_PATH, readHeadlines } from '../../findings/headline.ts';
import { type Fetch, publishedFiles } from '../published-file.ts';
import type { Story } from './stories.ts';

declare global {
  /** The first environment's demo, requested in the page's head; null if it could not be loaded. */
  var firstDemo: Promise<unknown> | undefined;
  /** The same demo once it is loaded, so that the first paint can show it. */
  var firstDemoNow: unknown;
  /** The headlines of all environments, requested in the same way. */
  var firstHeadlines: Promise<unknown> | undefined;
  var firstHeadlinesNow: unknown;
}

type Stories = typeof import('./stories.ts');

/** Stories by environment: the published file, below `public/`, and its reader. */
const STORIES: Readonly<Record<string, { path: string; of(stories: Stories, file: unknown): Story | null }>> = {
  chain: { path: 'results/demo/chain.chains.json', of: (stories, file) => stories.readChainStory(file) },
  characters: { path: 'results/demo/characters.replies.json', of: (stories, file) => stories.readRepliesStory(file) },
};

export interface Published {
  /** Null if there is none. */
  load(environment: string): Promise<PublishedDemo | null>;
  /** The demo, once loaded; undefined while it is being loaded. */
  now(environment: string): PublishedDemo | null | undefined;
  /** Some of the demo's rollouts; null if there are none. */
  samples(environment: string): Promise<DemoSamples | null>;
  /** A story that no single rollout can show; null for an environment without one. */
  story(environment: string): Promise<Story | null>;
  /** The demo's steps one by one; null if there are none. */
  steps(environment: string): Promise<DemoSteps | null>;
  /** The finding over many seeds; null if none is published. */
  headline(environment: string): Promise<EnvironmentHeadline | null>;
  /** The headline, once loaded; undefined while the headlines are being loaded. */
  headlineNow(environment: string): EnvironmentHeadline | null | undefined;
}

/** @param first the environment whose demo the page's head has already requested */
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

  /** The code that builds a story is loaded with its file. */
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

/** Loads once for each environment, on demand. */
function onceEach<File>(load: (environment: string) => Promise<File>): (environment: string) => Promise<File> {
  const known = new Map<string, Promise<File>>();
  return (environment) => {
    const loading = known.get(environment) ?? load(environment);
    known.set(environment, loading);
    return loading;
  };
}
