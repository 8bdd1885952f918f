// Agents in a simulated environment: a generated scenario is played by the oracle and by an agent that errs, stepped through, exported and
// opened again.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import { strToU8, zipSync } from 'fflate';
import { traceText } from '../packages/are/src/scenario/export.ts';
import { sampleTrace, toAgent, toUser } from '../packages/are/src/testing/sample.ts';
import { expectNoSidewaysScroll, section } from './lab-page.ts';

const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
const entries = (page: Page) => section(page, 'Entries').getByRole('button');

test('a scenario is generated, played, judged, stepped through, edited, shared, exported and opened again', async ({
  page,
  context,
  browser,
}) => {
  const models: string[] = [];
  page.on('request', (request) => void (request.url().includes('/models/') && models.push(request.url())));
  await page.goto('./?view=agents');
  const form = section(page, 'Agents');
  const verdict = section(page, 'Verdict');
  await form.getByLabel('Split').selectOption('adaptability');
  await form.getByRole('button', { name: 'Generate' }).click();
  await expect(section(page, 'Scenario')).toContainText('generated_adaptability_training_1_0');
  await run(page);
  await expect(verdict.getByRole('status')).toContainText('Passed.');
  await expect(verdict.getByText('not judged')).toHaveCount(0);
  await form.getByRole('button', { name: 'See the verdict' }).click();
  await expect(verdict.getByRole('heading', { name: 'Verdict' })).toBeFocused();

  // Stepping starts at the last entry. The apps show the state at the chosen entry, and the first entry is before anything was written.
  const count = Number(
    /of (\d+)/.exec((await section(page, 'What happened').locator('output').textContent()) ?? '')?.[1],
  );
  const apps = section(page, 'Apps');
  await expect(apps.getByRole('status')).toHaveText(`At entry ${count}`);
  await page.getByRole('button', { name: 'Step back' }).click();
  await expect(apps.getByRole('status')).toHaveText(`At entry ${count - 1}`);
  await section(page, 'Entries').focus();
  await page.keyboard.press('Home');
  await expect(apps.getByRole('status')).toHaveText('At entry 1');
  await expect(entries(page).first()).toHaveAttribute('aria-current', 'true');
  await expect(section(page, 'Entry')).toContainText('Arguments');
  // Playback at a chosen speed reaches the end by itself.
  await page.getByText('100×', { exact: true }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(apps.getByRole('status')).toHaveText(`At entry ${count}`);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  await page.getByText('at once', { exact: true }).click();

  // This is the address that the oracle writes to.
  const right = /[\w.]+@example\.org/.exec(
    (await section(page, 'Entries')
      .getByRole('button', { name: /recipients/ })
      .first()
      .textContent()) ?? '',
  )?.[0];

  await form.getByLabel('Who acts').selectOption('oracle-mistake');
  await form.getByLabel('Agent’s seed').fill('1');
  // Playback can be paused before its end, and then stands still.
  await page.getByText('1×', { exact: true }).click();
  await run(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  const paused = (await apps.getByRole('status').textContent()) ?? '';
  expect(Number(/\d+/.exec(paused))).toBeLessThan(count);
  await page.getByText('at once', { exact: true }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(verdict.getByRole('status')).toContainText(/Failed.*The mistake: /);
  await expect(verdict.getByRole('table').first()).toContainText('recipients');
  await expect(verdict).toContainText('Never fired');
  // The event graph is shown as a picture and as text, at the end and at the start.
  const graph = section(page, 'Event graph');
  await expect(graph.getByRole('img', { name: /events and \d+ arrows/ })).toBeVisible();
  await graph.getByText('As a list').click();
  await expect(graph).toContainText(/never fires\. It belongs to turn 2/);
  await expect(graph.getByRole('listitem').filter({ hasText: /^user_1/ })).toContainText('fired');

  // Both drawings can be saved as pictures that need no style sheet.
  for (const [name, drawn] of [
    ['Timeline as a picture', /<rect[^>]* fill="rgb/],
    ['Graph as a picture', /<path[^>]* stroke="rgb/],
  ] as const) {
    const [picture] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    expect(await readFile(await picture.path(), 'utf8')).toMatch(drawn);
  }

  // The wrong call is corrected and the run continued: the verdict changes, and a link shows it in a fresh profile.
  await section(page, 'Entries')
    .getByRole('button', { name: /nobody@example\.org/ })
    .first()
    .click();
  await section(page, 'Entry').getByRole('button', { name: 'Change this call' }).click();
  const args = page.getByLabel('Arguments, as JSON');
  const wrong = await args.inputValue();
  await args.fill('{');
  await expect(section(page, 'Entry')).toContainText('The arguments are not JSON');
  await args.fill(wrong.replace('nobody@example.org', String(right)));
  await page.getByLabel('Thought').fill('To the one who was asked for.');
  await page.getByRole('button', { name: 'Continue from here' }).click();
  await expect(verdict.getByRole('status')).toContainText('Passed.');
  await expect(section(page, 'Entry')).toContainText('To the one who was asked for.');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Share the run' }).click();
  await expect(page.getByText(/Link copied/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const elsewhere = await browser.newContext();
  const fresh = await elsewhere.newPage();
  await fresh.goto(link);
  // The offer is shown before anything is played.
  const offer = section(fresh, 'From the link');
  await expect(offer).toContainText(/It has not been played yet.*edited: /);
  await expect(section(fresh, 'What happened')).toContainText('Nothing has happened yet');
  await offer.getByRole('button', { name: 'Play the run' }).click();
  await expect(section(fresh, 'Verdict').getByRole('status')).toContainText('Passed.');
  await expect(section(fresh, 'What happened')).toContainText('Edited: act');
  await elsewhere.close();
  await page.getByRole('button', { name: 'Without edits' }).click();
  await expect(verdict.getByRole('status')).toContainText('Failed.');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export the trace' }).click(),
  ]);
  const file = { name: 'run.json', mimeType: 'application/json', buffer: await readFile(await download.path()) };
  await page.reload();
  const picker = page.getByLabel('A scenario or trace (are_simulation_v1)');
  await expect(picker).toBeAttached();
  const dropped = await page.evaluateHandle(
    ([name, type, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text as string], name as string, { type }));
      return data;
    },
    [file.name, file.mimeType, file.buffer.toString()],
  );
  await page.dispatchEvent('#agents', 'drop', { dataTransfer: dropped });
  await expect(section(page, 'Scenario')).toContainText(/oracle-mistake: failed/);
  await run(page);
  await expect(verdict.getByRole('status')).toContainText('Passed.');
  // The scenario is edited: an error is shown while typing; then the task changes and an event is added.
  await page.getByText('Edit the scenario').click();
  const edited = page.getByLabel('As JSON');
  const state = section(page, 'Agents')
    .getByRole('status')
    .filter({ hasText: /scenario|dependencies|JSON|Checking/ });
  await expect(state).toContainText('the oracle can play it');
  const whole = await edited.inputValue();
  await edited.fill(whole.replace('"dependencies": []', '"dependencies": ["nobody"]'));
  await expect(state).toContainText(/events\[\d\]\.dependencies/);
  await edited.fill(whole.replace(/"value": ".*"/, '"value": "Another task."'));
  await expect(state).toContainText('the oracle can play it');
  await page.getByRole('button', { name: 'Use this scenario' }).click();
  await expect(section(page, 'Scenario')).toContainText('Another task.');
  await picker.setInputFiles({ ...file, buffer: Buffer.from('{"version":"are_simulation_v1","metadata":{}}') });
  await expect(page.getByRole('alert')).toContainText('metadata.definition');

  // The embedded agent acts step by step in the worker, which opens its model.
  await form.getByLabel('Split').selectOption('execution');
  await form.getByLabel('Small universe').check();
  await form.getByLabel('Who acts').selectOption('tiny-agent');
  await form.getByRole('button', { name: 'Generate' }).click();
  await expect(section(page, 'Scenario')).toContainText('generated_execution_training');
  await run(page);
  await expect(page.getByText(/tiny-agent was asked \d+ times?: \d+ tokens read, \d+ written/)).toBeVisible();
  await expect(verdict.getByRole('status')).toContainText(/Passed|Failed/);
  // Composed forms have their own model, which is fetched when it first acts.
  const ofForms = () => models.filter((url) => url.includes('tiny-agent-forms'));
  expect(ofForms()).toEqual([]);
  await form.getByLabel('Tasks').selectOption('composed held out');
  await form.getByLabel('Split').selectOption('search');
  await form.getByLabel('Who acts').selectOption('tiny-agent-forms');
  await form.getByRole('button', { name: 'Generate' }).click();
  await expect(section(page, 'Scenario')).toContainText('generated_search_composed_held_out');
  await run(page);
  await expect(page.getByText(/tiny-agent-forms was asked \d+ times?: \d+ tokens read, \d+ written/)).toBeVisible();
  expect(ofForms().length).toBeGreaterThan(0);
  await form.getByLabel('Tasks').selectOption('training');
  await form.getByLabel('Split').selectOption('execution');
  // A model can be behind a server that the user names. The first server does not allow this page (CORS), which is reported; the second does.
  const server = await answering('Thought: x\nAction:\n{"action": "Emails__list_emails", "action_input": {}}');
  await form.getByLabel('Who acts').selectOption('react-endpoint');
  await run(page);
  await expect(page.getByRole('alert')).toContainText('No server is named.');
  await form.getByLabel('Server’s address').fill(server.address);
  await form.getByLabel('Model’s name there').fill('m');
  await form.getByLabel('Key').fill('hidden');
  await form.getByLabel('Actions').fill('3');
  await run(page);
  await expect(page.getByRole('alert')).toContainText(/cannot be reached.*\(CORS\)/);
  server.lets = true;
  await run(page);
  await expect(page.getByText(/^m was asked 3 times: 15 tokens read, 6 written/)).toBeVisible();
  expect(server.keys).toEqual(['Bearer hidden', 'Bearer hidden', 'Bearer hidden']);
  // Tools come from an MCP server. A command is refused, and so is a server that does not allow this page; one that does is called once.
  const tools = await toolServer();
  const toolField = form.getByLabel('Tools of an MCP server');
  server.says = 'Thought: x\nAction:\n{"action": "MCPApp__double", "action_input": {"n": 21}}';
  await form.getByLabel('Actions').fill('1');
  await toolField.fill('python server.py');
  await run(page);
  await expect(page.getByRole('alert')).toContainText(/python server\.py is not an http address.*--mcp-command/);
  await toolField.fill(tools.address);
  await run(page);
  await expect(page.getByRole('alert')).toContainText(/cannot be reached.*\(CORS\)/);
  tools.lets = true;
  await run(page);
  await expect(section(page, 'Entries').getByRole('button', { name: /MCPApp\.double/ })).toBeVisible();
  await section(page, 'Entries').focus();
  await page.keyboard.press('Home');
  await expect(section(page, 'Apps').getByRole('status')).toHaveText('At entry 1');
  expect(tools.calls).toEqual([{ n: 21 }]);
  await toolField.fill('');
  void tools.close();
  // With expert agents the same model also plays the expert, which has the tools of its app.
  server.says = 'Thought: x\nAction:\n{"action": "Emails__expert_agent", "action_input": {"task": "List."}}';
  await form.getByLabel('Apps of experts').fill('1');
  await run(page);
  await expect(section(page, 'Entries').getByRole('button', { name: /Emails\.expert_agent/ })).toBeVisible();
  await form.getByLabel('Apps of experts').fill('0');
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('hidden');
  server.close();
  // A model from an ONNX file is opened in the worker; the prompt is too long for the embedded teacher, which is reported.
  await form.getByLabel('Who acts').selectOption('react-onnx');
  await run(page);
  await expect(page.getByRole('alert')).toContainText('No ONNX model is chosen.');
  const teacher = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model.onnx'];
  await page
    .getByLabel('Files of an ONNX model')
    .setInputFiles(teacher.map((path) => `public/models/tiny-hacker/${path}`));
  await run(page);
  await expect(
    page.getByText(/It gave up: The conversation has \d+ tokens; the model has 512 positions/),
  ).toBeVisible();
  // A series of scenarios shows what was passed at which cost.
  await form.getByLabel('Who acts').selectOption('oracle');
  await form.getByRole('button', { name: 'Play the next 8' }).click();
  await expect(page.getByRole('img', { name: /^Share of runs that passed, .*oracle 100% of \d/ })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
});

test('a scenario that keeps its worker busy for minutes leaves the page free, and Stop ends it', async ({ page }) => {
  await page.goto('./?view=agents');
  const form = section(page, 'Agents');
  const picker = page.getByLabel('A scenario or trace (are_simulation_v1)');
  const stop = form.getByRole('button', { name: 'Stop' });
  const open = (searches: number) =>
    picker.setInputFiles({
      name: 'busy.json',
      mimeType: 'application/json',
      buffer: Buffer.from(traceText(busyTrace(searches))),
    });
  /** Expects that frames are drawn and a click is answered meanwhile. */
  const answers = async (words: string) => {
    await expect(form.getByRole('status')).toHaveText(words);
    await page.evaluate(async () => {
      for (let frame = 0; frame < 8; frame++) await new Promise(requestAnimationFrame);
    });
    const small = form.getByLabel('Small universe');
    await small.setChecked(!(await small.isChecked()));
    await expect(form.getByRole('status')).toHaveText(words);
  };
  // Opening it plays its oracle, which takes minutes in one tick.
  await open(4000);
  await answers('Reading …');
  await stop.click();
  await expect(form.getByRole('status')).toHaveText('');
  await expect(stop).toBeDisabled();
  // A shorter scenario opens, and is stopped while it plays: the events so far are shown, and another can be played at once.
  await open(800);
  await expect(section(page, 'Scenario')).toContainText('busy.json', { timeout: 200_000 });
  await form.getByLabel('Actions').fill('10000');
  await run(page);
  // No time may be lost here, since a fast machine plays it within a few frames.
  await expect(form.getByRole('status')).toHaveText('Running …');
  await stop.dispatchEvent('click');
  await expect(form.getByRole('status')).toHaveText('Stopped.');
  await expect(section(page, 'What happened')).not.toContainText('Passed');
  await form.getByRole('button', { name: 'Generate' }).click();
  await run(page);
  await expect(section(page, 'Verdict').getByRole('status')).toContainText('Passed.');
});

test('documents of a scenario are text for the agent; one that costs too much is left out, and the page stays', async ({
  page,
}) => {
  const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const word = (body: string) =>
    Buffer.from(
      zipSync({
        '_rels/.rels': strToU8(
          '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        ),
        'word/document.xml': strToU8(`<w:document xmlns:w="${W}"><w:body>${body}</w:body></w:document>`),
      }),
    ).toString('base64');
  const files = [
    { name: 'good.docx', type: 'file', base64: word('<w:p><w:r><w:t>Tea at four.</w:t></w:r></w:p>') },
    // Each table is nested in the one before, so that the time of several readers grows with the square.
    { name: 'bad.docx', type: 'file', base64: word('<w:tbl><w:tr><w:tc><w:p>'.repeat(60_000)) },
  ];
  const { apps, ...trace } = sampleTrace([
    toAgent('u1', 'Read it.'),
    { id: 'r1', type: 'AGENT', call: 'Files.read_document', args: { file_path: 'good.docx' }, after: ['u1'], delay: 1 },
    toUser('o2', ['r1']),
  ]);
  const state = { files: { name: '', type: 'directory', children: files } };
  const whole = { ...trace, apps: [...apps, { name: 'Files', class_name: 'Files', app_state: state }] };
  await page.goto('./?view=agents');
  await page
    .getByLabel('A scenario or trace (are_simulation_v1)')
    .setInputFiles({ name: 'documents.json', mimeType: 'application/json', buffer: Buffer.from(traceText(whole)) });
  await expect(section(page, 'Scenario')).toContainText('bad.docx is no text for the agent: ');
  await run(page);
  await expect(section(page, 'Verdict').getByRole('status')).toContainText('Passed.');
  await entries(page).filter({ hasText: 'read_document' }).click();
  await expect(section(page, 'Entry')).toContainText('Tea at four.');
});

/** A trace whose oracle searches a long title many times at one moment, by a pattern that has no small automaton. */
function busyTrace(searches: number) {
  const query = '(?:x|y)*x(?:x|y){60}[ab]';
  const trace = sampleTrace([
    toAgent('u1', 'Search.'),
    ...Array.from({ length: searches }, (_, at) => ({
      id: `s${at}`,
      type: 'AGENT' as const,
      call: 'Chats.regex_search',
      args: { query },
      after: ['u1'],
      delay: 0,
    })),
    toUser('o2', ['u1']),
  ]);
  const title = Array.from({ length: 80_000 }, (_, n) => (((n * n * 7919 + n * 31) % 101) % 2 ? 'x' : 'y')).join('');
  const limits = { messages_view_limit: 10, conversation_view_limit: 5, mode: 'NAME' };
  const nobody = { name_to_id: {}, id_to_name: {}, current_user_id: 'x', current_user_name: 'X' };
  const conversation = { participant_ids: ['x'], messages: [], title, conversation_id: 'c', last_updated: 0 };
  trace.apps.push({
    name: 'Chats',
    class_name: 'MessagingAppV2',
    app_state: { ...limits, ...nobody, conversations: { c: conversation } },
  });
  return trace;
}

/** Starts an OpenAI-compatible server with a constant answer; `lets` allows pages of other origins (CORS). */
async function answering(content: string) {
  const keys: (string | undefined)[] = [];
  const own = { lets: false, keys, address: '', says: content, close: () => void server.close() };
  const server = createServer((request, response) => {
    if (own.lets)
      response.setHeaders(
        new Headers({ 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' }),
      );
    if (request.method === 'POST') keys.push(request.headers.authorization);
    request.resume().on('end', () => {
      const usage = { prompt_tokens: 5, completion_tokens: 2 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: { content: own.says } }], usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return own;
}

/** Starts an MCP server with one tool; `lets` allows pages of other origins (CORS). */
async function toolServer() {
  const calls: unknown[] = [];
  const server = createServer((request, response) => {
    if (own.lets)
      response.setHeaders(
        new Headers({
          'access-control-allow-origin': '*',
          'access-control-allow-headers': '*',
          'access-control-expose-headers': 'mcp-session-id',
        }),
      );
    let body = '';
    request
      .on('data', (chunk) => {
        body += String(chunk);
      })
      .on('end', () => {
        if (request.method !== 'POST') return void response.end();
        const { id, method, params } = JSON.parse(body);
        // All requests after the first must name the session.
        if (method !== 'initialize' && request.headers['mcp-session-id'] !== 's1')
          return void response.writeHead(400).end();
        if (method === 'tools/call') calls.push(params.arguments);
        const result = {
          initialize: {},
          'tools/list': { tools: [{ name: 'double', inputSchema: { properties: { n: { type: 'integer' } } } }] },
          'tools/call': { content: [{ type: 'text', text: String(2 * params?.arguments?.n) }] },
        }[method as 'initialize'];
        response.setHeader('mcp-session-id', 's1').setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
  });
  const own = { lets: false, calls, address: '', close: () => new Promise((done) => server.close(done)) };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return own;
}
