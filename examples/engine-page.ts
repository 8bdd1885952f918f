// The step of grpo-step.ts in a page: its device is the page's CPU, its files come over the network. A page that does more than one step
// does this in a worker, and asks createWebGpuDevice first.
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { fetchSource } from '../src/storage/sources.ts';
import { grpoStep } from './grpo-step.ts';
import { PROMPT, reward } from './task.ts';

const out = document.querySelector('#out') as HTMLElement;
const folder = fetchSource(new URL('../models/tiny-arithmetic/', location.href).href);
const { answers, rewards, after } = await grpoStep(await createCpuDevice(), folder, PROMPT, reward);
out.textContent = answers.map((answer, i) => `${rewards[i]}  ${answer}`).join('\n');
out.dataset.after = JSON.stringify(after);
