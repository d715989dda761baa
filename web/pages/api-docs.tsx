// Works without script.
import { Fragment, type ReactNode } from 'react';
import type { ApiDocsPage, DocsBlock } from './api-docs-props.ts';
import { Layout } from './parts/layout.tsx';

export function ApiDocsView({ page }: { page: ApiDocsPage }): ReactNode {
  return (
    <Layout title={page.title}>
      <div className="docs" lang="en" dir="ltr">
        <nav className="docs-nav" aria-label={page.title}>
          <ul>
            {page.sections.map(({ href, label, isCurrent }) => (
              <li key={href}>
                <a href={href} aria-current={isCurrent ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <article className="docs-text">
          <h1>{page.title}</h1>
          {page.blocks.map((block, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, never reordered
            <Block block={block} key={at} />
          ))}
        </article>
      </div>
    </Layout>
  );
}

function Block({ block }: { block: DocsBlock }): ReactNode {
  switch (block.is) {
    case 'heading': {
      const Heading = block.level === 2 ? 'h2' : 'h3';
      return (
        <Heading id={block.id}>
          <a href={`#${block.id}`}>{block.text}</a>
        </Heading>
      );
    }
    case 'text':
      return (
        <p>
          <Inline text={block.text} />
        </p>
      );
    case 'call':
      return (
        <p className="docs-call">
          <code>
            <b>{block.method}</b> {block.path}
          </code>
        </p>
      );
    case 'table':
      return <Table head={block.head} rows={block.rows} />;
    case 'examples':
      return block.examples.map(({ language, code }) => (
        <details className="docs-example" key={language} open={block.examples.length === 1}>
          <summary>{language}</summary>
          {/* Focusable, because it may scroll sideways. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre tabIndex={0}>
            <code>{code}</code>
          </pre>
        </details>
      ));
  }
}

function Table({ head, rows }: { head: string[]; rows: string[][] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="docs-table" tabIndex={0} aria-label={head.join(', ')}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col" key={cell}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('\0')}>
              {row.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                <td key={at}>
                  <Inline text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Every second part, between backquotes, is code. */
function Inline({ text }: { text: string }): ReactNode {
  return (
    text
      .split('`')
      // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, never reordered
      .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>))
  );
}
