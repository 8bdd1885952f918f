// Takes the step of grpo-step.ts in a page: on the page's CPU, with files from the network. A page that takes more than one step should do so in
// a worker, and try createWebGpuDevice first.
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { fetchSource } from '../src/storage/sources.ts';
import { grpoStep } from './grpo-step.ts';
import { PROMPT, reward } from './task.ts';

const out = document.querySelector('#out') as HTMLElement;
const folder = fetchSource(new URL('../models/tiny-arithmetic/', location.href).href);
const { answers, rewards, after } = await grpoStep(await createCpuDevice(), folder, PROMPT, reward);
out.textContent = answers.map((answer, i) => `${rewards[i]}  ${answer}`).join('\n');
out.dataset.after = JSON.stringify(after);
