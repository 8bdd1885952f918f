// The lab's part in the commands of agent environments: models of folders as agents, judges and users, and the apps of data sets on the
// Hub.
import type { Host, ParsedFlags } from '@projected-grpo-lab/are/cli/host.ts';
import { LAB, text } from '../args.ts';
import { deviceFlags } from '../device-flags.ts';
import { ADAPTER_FLAG } from '../model/adapter.ts';
import { PROMPT_FLAGS, type PromptFlags, promptFlagsIn } from '../model/prompts.ts';
import { APPS_FLAGS, FetchedApps } from './fetched-apps.ts';
import type { WriterFlags } from './writer.ts';

/** The flags were parsed by the table given below. */
const writerFlags = (flags: object) => flags as WriterFlags;

export const HOST: Host = {
  program: LAB,
  quietLead: 'node scripts/lab.mjs',
  models: {
    flags: {
      agent: {
        model: text(
          'DIR',
          'With --agent react: the folder of a model with a chat template, in Hugging Face’s layout or with an ONNX file under onnx/.',
          null,
        ),
        adapter: {
          ...ADAPTER_FLAG,
          help: 'With --model: a LoRA adapter of PEFT that is folded into it, a folder or OWNER/NAME[@REVISION] of the Hub.',
        },
        ...PROMPT_FLAGS,
      },
      judge: { 'judge-model': text('DIR', 'The judge’s model: a folder with a chat template.', null) },
      user: { 'user-model': text('DIR', 'With --user model: a folder with a chat template.', null) },
    },
    device: deviceFlags,
    agents: ['language'],
    promptFlagsIn: (flags: ParsedFlags) => [
      ...promptFlagsIn(flags as Partial<PromptFlags>),
      ...((flags.adapter ?? null) === null ? [] : ['--adapter']),
    ],
    openModel: async (flags, context) => (await import('./writer.ts')).openLocalModel(writerFlags(flags), context),
    openAgent: async (flags, context) => (await import('./writer.ts')).openLanguageAgent(writerFlags(flags), context),
  },
  apps: {
    flags: APPS_FLAGS,
    finder(flags, context) {
      const apps = new FetchedApps(flags['fetch-apps'] === true, context);
      return (trace) => apps.of(trace);
    },
  },
};
