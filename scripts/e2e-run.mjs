// `npm run e2e:run -- --spec URL --json FILE`: opens a share URL in headless Chromium on the built page, runs it there as a person
// would, prints the table and writes what the page's own JSON download holds. Progress on stderr, the table on stdout.
import './tool/node-version.mjs';
import { main } from './tool/e2e-run.mjs';

process.exitCode = await main(process.argv.slice(2));
