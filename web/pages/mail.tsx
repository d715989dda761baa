import type { ReactNode } from 'react';
import { languageOf } from '#language/locale.ts';
import { languageName } from '../formats.ts';
import type { MailPage, MailPiece } from './mail-props.ts';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Paragraphs, PersonText, UserText } from './parts/user-text.tsx';

export function MailView({ page }: { page: MailPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('mailpage.title')} isRecipientPage>
      <Card>
        <CardBody>
          <p className="muted">
            <UserText>{page.subject}</UserText>
          </p>
          <h1>
            <UserText>{page.heading}</UserText>
          </h1>
          {page.pieces.map((piece, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a mail never change places.
            <Piece piece={piece} key={index} />
          ))}
          <p className="help">
            <UserText>{page.why}</UserText>
          </p>
        </CardBody>
        <CardFoot>
          <p className="help">{say('mailpage.note')}</p>
          <Languages languages={page.languages} />
        </CardFoot>
      </Card>
    </Layout>
  );
}

function Piece({ piece }: { piece: MailPiece }): ReactNode {
  switch (piece.is) {
    case 'text':
      return <Paragraphs>{piece.text}</Paragraphs>;
    case 'quote':
      return (
        <div className="message-html">
          <p>
            <PersonText person={{ name: piece.by, address: piece.address }} />
          </p>
          <blockquote>
            <Paragraphs>{piece.text}</Paragraphs>
          </blockquote>
        </div>
      );
    case 'list':
      return (
        <ul className="paragraphs">
          {piece.items.map(({ title, detail }) => (
            <li key={`${title} ${detail}`}>
              <UserText>{title}</UserText> <bdi className="muted">{detail}</bdi>
            </li>
          ))}
          {piece.more !== null && <li>{piece.more}</li>}
        </ul>
      );
    case 'facts':
      return (
        <ul className="paragraphs">
          {piece.facts.map(({ label, text }) => (
            <li key={`${label} ${text}`}>
              {label !== null && <span className="muted">{label} </span>}
              <UserText>{text}</UserText>
            </li>
          ))}
        </ul>
      );
  }
}

function Languages({ languages }: { languages: MailPage['languages'] }): ReactNode {
  const { locale } = useFrame();
  const say = useText();
  return (
    <nav aria-label={say('mailpage.languages')}>
      <p className="ways">
        {languages.map((language) => (
          <a
            key={language.locale}
            href={language.url}
            lang={language.locale}
            hrefLang={language.locale}
            aria-current={language.locale === languageOf(locale) ? 'page' : undefined}
          >
            {languageName(language.locale)}
          </a>
        ))}
      </p>
    </nav>
  );
}
