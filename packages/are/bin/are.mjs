#!/usr/bin/env node
// Entry of `npx are`: bundles the commands (src/cli) when their sources changed, and runs them in this process. The version check comes
// first, so that an old Node gets a sentence.
import '../../../scripts/tool/node-version.mjs';
import { pathToFileURL } from 'node:url';

const { ensureDependencies } = await import('../../../scripts/tool/dependencies.mjs');
await ensureDependencies();
const { bundleAre } = await import('../../../scripts/tool/bundle.mjs');
await import(pathToFileURL(await bundleAre()));
