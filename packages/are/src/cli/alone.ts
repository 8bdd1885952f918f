// `npx are` by itself: its models are servers.
import type { Host } from './host.ts';

const none = () => Promise.reject(new Error('A model of the program was asked for, and it has none.'));

export const ALONE: Host = {
  program: { lead: 'npx' },
  quietLead: 'npx',
  models: {
    flags: { agent: {}, judge: {}, user: {} },
    device: () => ({}),
    agents: [],
    promptFlagsIn: () => [],
    openModel: none,
    openAgent: none,
  },
  apps: { flags: {}, finder: () => async (trace) => trace },
};
