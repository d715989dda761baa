import type { MailFile } from '../blocks.ts';
import type { MailPerson } from './kind.ts';

export const alice: MailPerson = { name: 'Alice Smith', address: 'alice@northlight.example' };
export const ben: MailPerson = { name: 'Ben Okafor', address: 'ben@harbour.example' };

export const sampleSubject = 'Drawings for the Harbour tender';
export const sampleBody =
  'Hi Ben,\nhere are the revised sections and the cost sheet. Page 4 is the one to check first.\n\nAlice';
export const sampleReference = 'Zk3pQ8vN2sX7dLm4TrYb1c';
export const sampleUrl = `https://files.northlight.example/message/${sampleReference}`;
export const sampleLanguageUrl = 'https://files.northlight.example/mail/9fQ2mZ7tKx4VbN8sLrWc3d';
/** 15 November 2026, 13:02 UTC. */
export const sampleInstant = Date.UTC(2026, 10, 15, 13, 2);

export const sampleFiles: MailFile[] = [
  {
    name: 'Harbour-sections-rev-C.pdf',
    sizeBytes: 50_543_821,
    sha256: '3b1f0c9e5a7d42688e90d1b7c6f45a2390eb7d81c4f6a5b2e8d7093c1f4a6b58',
  },
  {
    name: 'Cost-sheet-2026-11.xlsx',
    sizeBytes: 317_440,
    sha256: '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab',
  },
  {
    name: 'Model-and-textures.zip',
    sizeBytes: 1_181_116_006,
    sha256: 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2',
  },
];
