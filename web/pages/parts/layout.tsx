// The Content-Security-Policy forbids inline styles and scripts.
import { type ReactNode, useContext } from 'react';
import { directionOf, languageOf } from '#language/locale.ts';
import { languageName } from '../../formats.ts';
import { visibleText } from '../../visible.ts';
import { icon, stylesheet } from '../assets.ts';
import type { Frame, LanguageSwitch } from '../props.ts';
import { pageTexts } from '../text.ts';
import { Form } from './form.tsx';
import { ScriptsContext, useFrame, useText } from './frame.tsx';
import { Paragraphs, UserText } from './user-text.tsx';

interface LayoutProps {
  /** Excludes the organisation. */
  title: string;
  hasErrors?: boolean;
  /** Recipient pages name the sending organisation and the product; others only the product. */
  isRecipientPage?: boolean;
  children: ReactNode;
}

export function Layout({ title, hasErrors = false, isRecipientPage = false, children }: LayoutProps): ReactNode {
  const frame = useFrame();
  const say = useText();
  const scripts = useContext(ScriptsContext);
  const organisation = frame.organisationName ?? frame.productName;
  const page = hasErrors ? say('layout.titleWithErrors', { page: title }) : title;
  return (
    <html lang={frame.locale} dir={directionOf(frame.locale)}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{say('layout.title', { page, organisation: visibleText(organisation) })}</title>
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <meta name="format-detection" content="telephone=no, address=no, email=no" />
        <link rel="icon" type="image/svg+xml" href={frame.basePath + icon.path} />
        <link rel="stylesheet" href={frame.basePath + stylesheet.path} />
        {frame.brandStylesheetUrl !== null && <link rel="stylesheet" href={frame.brandStylesheetUrl} />}
        {scripts.map((path) => (
          <script type="module" src={frame.basePath + path} key={path} />
        ))}
      </head>
      <body data-download-started={scripts.length > 0 ? say('part.downloadStarted') : undefined}>
        <a className="skip" href="#content">
          {say('layout.skip')}
        </a>
        <header className="header">
          <Mark organisation={organisation} />
          <span className="brand-name">
            <UserText>{organisation}</UserText>
          </span>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <Footer isRecipientPage={isRecipientPage} />
        {scripts.length > 0 && <LiveRegions />}
      </body>
    </html>
  );
}

/** The logo, or the first letter of the name. */
function Mark({ organisation }: { organisation: string }): ReactNode {
  const { logo } = useFrame();
  if (logo === null) {
    return (
      <span className="brand-mark" aria-hidden="true">
        {firstLetter(organisation)}
      </span>
    );
  }
  // Reserves space before the style sheet sets the real size.
  const height = 32;
  const width = Math.max(1, Math.round((logo.width / logo.height) * height));
  return (
    <picture className={logo.darkUrl === null ? 'brand-logo brand-logo-plate' : 'brand-logo'}>
      {logo.darkUrl !== null && <source srcSet={logo.darkUrl} media="(prefers-color-scheme: dark)" />}
      <img src={logo.url} alt="" width={width} height={height} />
    </picture>
  );
}

function LiveRegions(): ReactNode {
  return (
    <>
      <p id="announcer" className="visually-hidden" role="status" />
      <p id="announcer-urgent" className="visually-hidden" role="alert" />
    </>
  );
}

function Footer({ isRecipientPage }: { isRecipientPage: boolean }): ReactNode {
  const frame = useFrame();
  const say = useText();
  const sentBy = isRecipientPage && frame.organisationName !== null;
  const names = { product: frame.productName, organisation: visibleText(frame.organisationName ?? '') };
  return (
    <footer className="footer">
      {frame.footerText !== null && (
        <div className="footer-text">
          <Paragraphs>{frame.footerText}</Paragraphs>
        </div>
      )}
      <ul>
        <li>{sentBy ? say('layout.sentWith', names) : say('layout.runsOn', names)}</li>
        {frame.contactAddress !== null && (
          <li>
            <a href={reportUrl(frame, frame.contactAddress)}>{say('layout.report')}</a>
          </li>
        )}
        {frame.privacyUrl !== null && (
          <li>
            <a href={frame.privacyUrl}>{say('layout.privacy')}</a>
          </li>
        )}
        <li>{frame.languageSwitch === null ? languageName(frame.locale) : <Languages {...frame.languageSwitch} />}</li>
      </ul>
    </footer>
  );
}

function Languages({ form, locales }: LanguageSwitch): ReactNode {
  const frame = useFrame();
  const say = useText();
  return (
    <details className="languages">
      <summary>{say('layout.language', { language: languageName(frame.locale) })}</summary>
      <Form form={form}>
        {locales.map((locale) => (
          <button
            key={locale}
            type="submit"
            className="button button-quiet"
            name="lang"
            value={locale}
            lang={locale}
            aria-current={locale === languageOf(frame.locale) ? 'true' : undefined}
          >
            {languageName(locale)}
          </button>
        ))}
      </Form>
    </details>
  );
}

/** The subject has the reference. */
function reportUrl(frame: Frame, contact: string): string {
  const subject =
    frame.reference === null
      ? pageTexts.text(frame.locale, 'layout.reportSubjectPlain', {
          organisation: visibleText(frame.organisationName ?? frame.productName),
        })
      : pageTexts.text(frame.locale, 'layout.reportSubject', { reference: frame.reference });
  return `${mailto(contact)}?subject=${encodeURIComponent(subject.toWellFormed())}`;
}

export function mailto(address: string): string {
  return `mailto:${encodeURIComponent(address.toWellFormed()).replaceAll('%40', '@')}`;
}

/** Supports any script. */
function firstLetter(name: string): string {
  return /[\p{L}\p{N}]/u.exec(name)?.[0]?.toLocaleUpperCase() ?? '·';
}
