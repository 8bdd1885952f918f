// Builds the page if it is stale and serves it on a fixed port without opening a browser, for the journeys in e2e/.
import './tool/node-version.mjs';
import { buildPage, DIST } from './tool/page.mjs';
import { serve } from './tool/server.mjs';

await buildPage();
const { port } = await serve(DIST, { port: Number(process.argv[2] ?? 5199), strict: true });
console.log(`http://localhost:${port}/`);
