// Worker entry of the page's document converter. Each library is loaded when a document needs it.

import { MOST } from '../../../documents.ts';
import { type ConverterEndpoint, serveConversions, type ToConverter } from './convert.ts';

const endpoint: ConverterEndpoint = {
  post: (message) => self.postMessage(message),
  listen: (take) => self.addEventListener('message', ({ data }: MessageEvent<ToConverter>) => take(data)),
};

serveConversions(
  endpoint,
  {
    fflate: () => import('fflate'),
    pdf: () => import('unpdf'),
    word: () => import('mammoth'),
    excel: () => import('read-excel-file/universal'),
    markdown: () => import('node-html-markdown'),
  },
  MOST,
);
