// A person's journeys in headless Chromium, on the software WebGPU adapter. `npm test` gives CHROMIUM_PATH.
import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** With E2E_PORT a page that is served there already is taken as it is. */
const PORT = Number(process.env.E2E_PORT ?? 5199);
const executablePath =
  process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const isRoot = process.getuid?.() === 0;

/** What Playwright itself switches off: of two such flags the last one counts alone. */
const OFF = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'LensOverlay'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  'PreconnectToSearch',
  // Two pages behind the address bar, which nobody sees here: with them each window takes 0.6 s more of a processor.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
];

/** Programs of `npm run campaign`: minutes each. */
const CAMPAIGN = process.env.CAMPAIGN_ROWS ? [] : ['**/campaign/**'];

/** The files that take longest: begun first, so that no worker is left alone with one at the end. */
const LONG = ['run', 'questions', 'axe', 'models', 'teacher', 'first', 'keep', 'security', 'share', 'quota'].map(
  (name) => `${name}.spec.ts`,
);

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Two: a journey waits as often as it computes. Each has a browser context, a worker and a store of its own.
  workers: 2,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  forbidOnly: Boolean(process.env.CI),
  use: {
    baseURL: `http://localhost:${PORT}/`,
    // A click that finds nothing fails at once, not at the end of a test that may last minutes.
    actionTimeout: 20_000,
    viewport: { width: 1280, height: 900 },
    screenshot: 'only-on-failure',
    // Of the second try alone: a recording takes pictures all the time. Four journeys took 126 s with it, 69 s without.
    trace: 'on-first-retry',
    launchOptions: {
      executablePath,
      // Chromium with this flag, its headless shell too, offers SwiftShader as a WebGPU adapter where there is no GPU.
      args: ['--enable-unsafe-webgpu', `--disable-features=${OFF.join()}`, ...(isRoot ? ['--no-sandbox'] : [])],
    },
  },
  projects: [
    { name: 'long', testMatch: LONG, use: { browserName: 'chromium' } },
    { name: 'chromium', testIgnore: [...LONG, ...CAMPAIGN], use: { browserName: 'chromium' } },
  ],
  webServer: {
    command: `node scripts/serve.mjs ${PORT}`,
    url: `http://localhost:${PORT}/`,
    timeout: 120_000,
    reuseExistingServer: process.env.E2E_PORT !== undefined,
  },
});
