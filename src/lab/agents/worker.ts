// Entry of the worker in which a scenario of agents is opened and played. Each open scenario has one; it is terminated when another
// scenario replaces it or the user stops it.
import { startBrowserConverter } from '@projected-grpo-lab/are/apps/files/documents/converter-browser.ts';
import { workerScope } from '../../lib/rpc.ts';
import { serveAgents } from './service.ts';

serveAgents(workerScope(), startBrowserConverter);
