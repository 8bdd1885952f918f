// The agents' own settings, by name and type.
import type { SoftJudge } from '../../../environments/agents/judges.ts';

export interface AgentSettings {
  /** Who pays an episode. */
  softJudge: SoftJudge;
}
