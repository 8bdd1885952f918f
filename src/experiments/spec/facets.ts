// All settings of a run, facet by facet, in the order in which records hold them: the form, the URL, the command line and the
// stored spec are made from this list, so that none of them can know a setting that the others do not.
import { AGENT_FACET } from '../worlds/agents/facet.ts';
import { ARITHMETIC_FACET } from '../worlds/arithmetic/facet.ts';
import { CHARACTER_FACET } from '../worlds/characters/facet.ts';
import { CODE_FACET } from '../worlds/code/facet.ts';
import { EXPLAIN_FACET } from '../worlds/explain/facet.ts';
import { ADAPTER } from './facets/adapter.ts';
import { BASELINES } from './facets/baselines.ts';
import { BASIS } from './facets/basis.ts';
import { EVALUATION } from './facets/evaluation.ts';
import { EXIT } from './facets/exit.ts';
import { LOSS } from './facets/loss.ts';
import { OBJECTIVE } from './facets/objective.ts';
import { OPTIMIZER } from './facets/optimizer.ts';
import { PROJECTION } from './facets/projection.ts';
import { STUDENT } from './facets/student.ts';
import { TASKS } from './facets/tasks.ts';
import { TEACHER } from './facets/teacher.ts';
import { TRAINING } from './facets/training.ts';

export const FACETS = [
  TRAINING,
  OBJECTIVE,
  TEACHER,
  ADAPTER,
  LOSS,
  OPTIMIZER,
  BASIS,
  PROJECTION,
  BASELINES,
  CODE_FACET,
  TASKS,
  EVALUATION,
  STUDENT,
  ARITHMETIC_FACET,
  EXIT,
  CHARACTER_FACET,
  EXPLAIN_FACET,
  AGENT_FACET,
] as const;
