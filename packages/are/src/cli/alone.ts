// `npx are` without the lab: its models are on servers.
import type { Host } from './host.ts';

const noModel = () => Promise.reject(new Error('A model of the program was asked for, and it has none.'));

export const ALONE: Host = {
  program: { lead: 'npx' },
  quietLead: 'npx',
  models: {
    flags: { agent: {}, judge: {}, user: {} },
    device: () => ({}),
    agents: [],
    promptFlagsIn: () => [],
    openModel: noModel,
    openAgent: noModel,
  },
  apps: { flags: {}, finder: () => async (trace) => trace },
};
