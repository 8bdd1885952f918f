// All options of a run, group by group, in the order of records, and the types that follow: `Settings` is a value for each. The form, the
// link, the command line and the stored spec are made from this list, so that none of them can know an option that the others do not. An
// environment's own options come after all others, unless published runs place them elsewhere; a method's own come last.

import { AGENT_OPTIONS } from '../../environments/agents/presentation.ts';
import { ARITHMETIC_OPTIONS } from '../../environments/arithmetic/presentation.ts';
import { CHARACTER_OPTIONS } from '../../environments/characters/presentation.ts';
import { CODE_OPTIONS } from '../../environments/code/presentation.ts';
import type { EnvironmentEntry } from '../../environments/entry.ts';
import { EXPLAIN_OPTIONS } from '../../environments/explain/presentation.ts';
import type { INSTRUCTIONS_OPTIONS } from '../../environments/instructions/presentation.ts';
import * as ENTRIES from '../../environments/registry.ts';
import type { Option } from '../../lib/option.ts';
import { METHOD_OPTIONS, type MethodOptions } from '../methods/index.ts';
import { ADAPTER } from './options/adapter.ts';
import { BASELINES } from './options/baselines.ts';
import { BASIS } from './options/basis.ts';
import { BLOCKS } from './options/blocks.ts';
import { EVALUATION } from './options/evaluation.ts';
import { EXIT } from './options/exit.ts';
import { LOSS } from './options/loss.ts';
import { OBJECTIVE } from './options/objective.ts';
import { OPTIMIZER } from './options/optimizer.ts';
import { PROJECTION } from './options/projection.ts';
import { PROMPTS } from './options/prompts.ts';
import { STUDENT } from './options/student.ts';
import { TASKS } from './options/tasks.ts';
import { TEACHER } from './options/teacher.ts';
import { TRAINING } from './options/training.ts';
import { TRUSTED } from './options/trusted.ts';

/** In the order of published runs. */
const PUBLISHED = [
  TRAINING,
  OBJECTIVE,
  TEACHER,
  ADAPTER,
  LOSS,
  OPTIMIZER,
  BASIS,
  PROJECTION,
  BASELINES,
  CODE_OPTIONS,
  TASKS,
  EVALUATION,
  STUDENT,
  ARITHMETIC_OPTIONS,
  EXIT,
  CHARACTER_OPTIONS,
  EXPLAIN_OPTIONS,
  AGENT_OPTIONS,
] as const;

type Group =
  | (typeof PUBLISHED)[number]
  | typeof INSTRUCTIONS_OPTIONS
  | typeof TRUSTED
  | typeof BLOCKS
  | typeof PROMPTS
  | (typeof METHOD_OPTIONS)[number];

const entries: readonly EnvironmentEntry[] = Object.values(ENTRIES);
const ofEnvironments = entries.flatMap(({ options = [] }) => options) as Group[];

export const OPTION_GROUPS: readonly Group[] = [
  ...new Set([...PUBLISHED, ...ofEnvironments, TRUSTED, BLOCKS, PROMPTS, ...METHOD_OPTIONS]),
];

type OptionsOf<Group extends { options: object }> = Group['options'];

/** All declarations by name, one line per group: an option of an unlisted group has no type, so that nothing can read it. */
interface Declarations
  extends OptionsOf<typeof TRAINING>,
    OptionsOf<typeof OBJECTIVE>,
    OptionsOf<typeof TEACHER>,
    OptionsOf<typeof ADAPTER>,
    OptionsOf<typeof LOSS>,
    OptionsOf<typeof OPTIMIZER>,
    OptionsOf<typeof BASIS>,
    OptionsOf<typeof PROJECTION>,
    OptionsOf<typeof BASELINES>,
    OptionsOf<typeof CODE_OPTIONS>,
    OptionsOf<typeof TASKS>,
    OptionsOf<typeof EVALUATION>,
    OptionsOf<typeof STUDENT>,
    OptionsOf<typeof ARITHMETIC_OPTIONS>,
    OptionsOf<typeof EXIT>,
    OptionsOf<typeof CHARACTER_OPTIONS>,
    OptionsOf<typeof EXPLAIN_OPTIONS>,
    OptionsOf<typeof AGENT_OPTIONS>,
    OptionsOf<typeof INSTRUCTIONS_OPTIONS>,
    OptionsOf<typeof TRUSTED>,
    OptionsOf<typeof BLOCKS>,
    OptionsOf<typeof PROMPTS>,
    MethodOptions {}

type Values = { [K in keyof Declarations]: Declarations[K] extends Option<infer T> ? T : never };

/** Settings that the arms of one experiment share, and a person may change. */
export interface Settings extends Values {}
export type SettingName = keyof Settings;
/** Source of the basis: the pairs, a control made from them (or from nothing), or an imported file. */
export type BasisSource = Settings['basisSource'];
