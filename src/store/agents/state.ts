// What the agents' view shows: its form, the scenario, the run of it, and the moment of the run that is looked at.

import { DEFAULT_MAX_STEPS } from '@projected-grpo-lab/are/agents/run.ts';
import type { NoiseLevel } from '@projected-grpo-lab/are/augment/levels.ts';
import type { Split } from '@projected-grpo-lab/are/generate/template.ts';
import type { MissingApps } from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import type { StoreApi } from 'zustand/vanilla';
import type {
  AppState,
  Entry,
  PagePart,
  PlayedRun,
  PlayerName,
  ScenarioSource,
  ScenarioView,
  WindowName,
} from '../../lab/protocol/agents.ts';
import type { Problem } from '../lab-state.ts';
import type { RunCost } from './budget.ts';
import type { Offer } from './offer.ts';
import { NO_SERVER, type ServerSettings } from './server.ts';

/** Simulated seconds a second; null: at once. */
export const SPEEDS = [1, 10, 100, null] as const;
export type Speed = (typeof SPEEDS)[number];

export interface AreForm {
  split: Split;
  seed: number;
  /** Of the scenario within split and seed; templates take turns. */
  index: number;
  /** Few people, mails and products. */
  isSmall: boolean;
  part: PagePart;
  agent: PlayerName;
  agentSeed: number;
  window: WindowName;
  maxSteps: number;
  noise: NoiseLevel;
  /** Of a model's sampling; 0 = greedy. */
  temperature: number;
  server: ServerSettings;
  /** Agent-to-agent: the share of apps that experts have. */
  a2a: number;
  /** Names of the files of the ONNX model that was chosen. */
  onnx: readonly string[];
  /** Address of an MCP server whose tools the agent gets; empty: none. */
  mcp: string;
}

export interface AreState {
  form: AreForm;
  /** Of a link that was opened: waits for a person to play it. */
  offer: Offer | null;
  scenario: ScenarioView | null;
  /** A file whose apps are in a data set of the Hub: waits for a person to have them fetched. */
  missing: { readonly source: ScenarioSource; readonly apps: MissingApps; readonly name: string } | null;
  /** A scenario is being read. */
  isReading: boolean;
  status: 'none' | 'running' | 'done' | 'stopped';
  entries: readonly Entry[];
  /** What a model wrote, by act; of the run that is shown. */
  written: ReadonlyMap<number, string>;
  played: PlayedRun | null;
  /** The entry that is looked at; -1: before the first. */
  place: number;
  /** Simulated seconds since 1970 that have been played. */
  now: number;
  isPlaying: boolean;
  speed: Speed;
  /** The apps when entry `place` had happened; of an earlier place until they are there. */
  states: { readonly place: number; readonly apps: readonly AppState[] } | null;
  problem: Problem | null;
  /** Of all runs without edits that were played here. */
  costs: readonly RunCost[];
  /** Runs of a series that are left. */
  left: number;
}

export type AreStore = StoreApi<AreState>;

/** As long as no run is on show. */
export const NO_RUN = {
  status: 'none',
  entries: [],
  written: new Map<number, string>(),
  played: null,
  place: -1,
  now: 0,
  isPlaying: false,
  states: null,
} as const satisfies Partial<AreState>;

export const FIRST_FORM: AreForm = {
  split: 'execution',
  seed: 1,
  index: 0,
  isSmall: false,
  part: 'training',
  agent: 'oracle',
  agentSeed: 0,
  window: 'usual',
  maxSteps: DEFAULT_MAX_STEPS,
  noise: 'none',
  temperature: 0.5,
  server: NO_SERVER,
  a2a: 0,
  onnx: [],
  mcp: '',
};
