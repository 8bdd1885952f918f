// `npm run e2e:run -- --spec URL --json FILE` opens a share URL in headless Chromium on the built page, runs it as a person would, prints the
// table to stdout and its progress to stderr, and writes the page's JSON download to FILE.
import './tool/node-version.mjs';
import { main } from './tool/e2e-run.mjs';

process.exitCode = await main(process.argv.slice(2));
