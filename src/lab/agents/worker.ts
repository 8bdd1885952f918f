// The entry of the worker in which a scenario of agents is opened and played: one for each scenario that is open, ended when another takes
// its place or a person stops what it does, whatever it does then.
import { startBrowserConverter } from '@projected-grpo-lab/are/apps/files/documents/converter-browser.ts';
import { workerScope } from '../../lib/rpc.ts';
import { serveAgents } from './service.ts';

serveAgents(workerScope(), startBrowserConverter);
