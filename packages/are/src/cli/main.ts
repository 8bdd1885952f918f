// `npx are …`: the commands without the lab.
import { group } from '@projected-grpo-lab/base/commands/command.ts';
import { runCommand, runProgram } from '@projected-grpo-lab/base/commands/program.node.ts';
import { ALONE } from './alone.ts';
import { ABOUT, partsFor } from './are.ts';

const [, , ...given] = process.argv;
const { program } = ALONE;

runProgram(() =>
  runCommand(program, group(program, ABOUT, partsFor(ALONE)), given, process.cwd(), new AbortController()),
);
