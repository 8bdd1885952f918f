// State of the agents' view: its form, the scenario, the run, and the selected entry of the run.

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

/** Simulated seconds per real second; null plays the run without delay. */
export const SPEEDS = [1, 10, 100, null] as const;
export type Speed = (typeof SPEEDS)[number];

export interface AreForm {
  split: Split;
  seed: number;
  /** Number of the scenario within split and seed; the templates alternate. */
  index: number;
  /** Whether the universe has few people, mails and products. */
  isSmall: boolean;
  part: PagePart;
  agent: PlayerName;
  agentSeed: number;
  window: WindowName;
  maxSteps: number;
  noise: NoiseLevel;
  /** Sampling temperature of a model; 0 is greedy. */
  temperature: number;
  server: ServerSettings;
  /** Agent-to-agent mode: the share of apps that experts handle. */
  a2a: number;
  /** Names of the chosen ONNX model's files. */
  onnx: readonly string[];
  /** Address of an MCP server whose tools the agent can use; empty for none. */
  mcp: string;
}

export interface AreState {
  form: AreForm;
  /** Contents of an opened link, which plays only when the user starts it. */
  offer: Offer | null;
  scenario: ScenarioView | null;
  /** A file whose apps are in a data set on the Hub, which is downloaded only at the user's request. */
  missing: { readonly source: ScenarioSource; readonly apps: MissingApps; readonly name: string } | null;
  isReading: boolean;
  status: 'none' | 'running' | 'done' | 'stopped';
  entries: readonly Entry[];
  /** Text that a model wrote in the run on show, by act. */
  written: ReadonlyMap<number, string>;
  played: PlayedRun | null;
  /** The selected entry; -1 is before the first. */
  place: number;
  /** Simulated time up to which the run has been played, in seconds since 1970. */
  now: number;
  isPlaying: boolean;
  speed: Speed;
  /** The apps' state after entry `place`. Until it has arrived, the state at an earlier entry. */
  states: { readonly place: number; readonly apps: readonly AppState[] } | null;
  problem: Problem | null;
  /** Costs of the runs without edits that were played on this page. */
  costs: readonly RunCost[];
  /** Number of runs that remain in a series. */
  left: number;
}

export type AreStore = StoreApi<AreState>;

/** The state while no run is on show. */
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
