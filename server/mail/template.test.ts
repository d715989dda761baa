import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindNames, renderAny, sampleOf } from '#test/kit/mail-payloads.ts';
import { checkTemplate, templateBlocks, templateVariables } from './check-template.ts';
import { defaultTemplate, liquidOf } from './default-template.ts';
import { fillTemplate, type MailTemplate } from './template.ts';
import { mailTexts } from './text.ts';

const problems = (template: MailTemplate) => checkTemplate('message', template);

describe('a template with problems', () => {
  const cases: [string, MailTemplate, string][] = [
    ['an unknown variable', { intro: 'Hi,\n{{ sendr }}' }, 'Intro, line 2: there is no variable sendr in this e-mail.'],
    ['a variable of another kind', { intro: '{{ code }}' }, 'Intro, line 1: there is no variable code in this e-mail.'],
    [
      'a variable only used in a condition that is false',
      { closing: '{% if fileCount == 99 %}\n\n{{ nope }}{% endif %}' },
      'Closing, line 3: there is no variable nope in this e-mail.',
    ],
    ['a part of a text', { intro: '{{ sender.constructor }}' }, 'Intro, line 1: sender is text; it has no parts.'],
    ['an include', { intro: "\n{% include 'x' %}" }, 'Intro, line 2: there is no tag include.'],
    ['a render', { intro: "{% render 'x' %}" }, 'Intro, line 1: there is no tag render.'],
    ['a layout', { intro: "{% layout 'x' %}" }, 'Intro, line 1: there is no tag layout.'],
    ['a loop', { intro: '{% for i in (1..9) %}x{% endfor %}' }, 'Intro, line 1: there is no tag for.'],
    ['an unknown filter', { intro: '{{ sender | url_decode }}' }, 'Intro, line 1: there is no filter url_decode.'],
    ['an unknown tag', { intro: '{% buton %}' }, 'Intro, line 1: there is no tag buton.'],
    ['an open tag', { intro: 'a\n\n{% if fileCount %}' }, 'Intro, line 3: {% if fileCount %} is not closed.'],
    ['an open output', { intro: '{{ sender }' }, 'Intro, line 1: {{ sender } is not closed.'],
    ['a block in a subject', { subject: '{% files %}' }, 'Subject, line 1: a subject can’t hold the block files.'],
    ['a subject of two lines', { subject: 'a\nb' }, 'Subject, line 1: a subject is one line.'],
    [
      'a subject of nothing',
      { subject: '{% if fileCount == 0 %}x{% endif %}' },
      'Subject, line 1: the subject comes out empty.',
    ],
    ['a hidden character', { intro: 'a\nb\u202e' }, 'Intro, line 2: there is a character that can’t be seen.'],
    ['too much text', { subject: 'x'.repeat(501) }, 'Subject, line 1: it is too long; at most 500 characters.'],
    [
      'a range of all numbers',
      { intro: '{{ (1..99999999) }}' },
      'Intro, line 1: it takes too long or makes too much text.',
    ],
  ];
  for (const [what, template, sentence] of cases) {
    it(`is reported: ${what}`, () => assert.deepEqual(problems(template), [sentence]));
  }

  it('is reported if it places a block that the mail does not have', () => {
    assert.deepEqual(checkTemplate('reset', { intro: '{% files %}' }), [
      'Intro, line 1: this e-mail has no block files.',
    ]);
  });

  it('is reported with every problem, part by part', () => {
    assert.equal(problems({ subject: '{{ a }}', intro: '{{ b }}\n{{ c }}', closing: '{{ d }}' }).length, 4);
  });

  it('cannot reach the internals of a value', () => {
    for (const source of ['{{ __proto__ }}', '{{ constructor }}', '{{ sender["constructor"] }}', '{{ this }}']) {
      assert.equal(problems({ intro: source }).length, 1, source);
      assert.throws(() => fillTemplate(source, { sender: 'x' }), source);
    }
  });
});

describe('a valid template', () => {
  it('may use every variable, filter, condition and block of its mail', () => {
    const intro = `Hello{% if fileCount > 1 %}, {{ fileCount | number }} files{% else %}, one file{% endif %}
from {{ sender | upcase }} ({{ senderAddress }}) of {{ organisation | default: "us" }}.
{% comment %} {{ anything }} {% endcomment %}
{% facts %}
{% assign n = fileCount | plural_form %}{% unless n == "one" %}Several.{% endunless %}`;
    assert.deepEqual(problems({ subject: '[{{ organisation }}] {{ subject }}', intro, closing: '{% quote %}' }), []);
    const { subject, text } = renderAny('message', sampleOf('message'), {
      templates: { message: { subject: '[{{ organisation }}] {{ subject }}', intro, closing: 'Bye.\n\n{% quote %}' } },
    });
    assert.equal(subject, '[Northlight Architects] Drawings for the Harbour tender');
    assert.match(text, /Hello, 3 files\nfrom ALICE SMITH \(alice@northlight\.example\) of Northlight Architects\./);
    assert.ok(text.indexOf('Available until') < text.indexOf('Files:'), 'facts stand where they were placed');
    assert.ok(text.indexOf('Bye.') < text.indexOf('> Hi Ben,'), 'the quote stands where it was placed');
    assert.equal(text.split('> Hi Ben,').length, 2, 'and only there');
  });

  it('may place several blocks in its text, each once and in its position', () => {
    const { text } = renderAny('message', sampleOf('message'), {
      templates: { message: { intro: 'One.\n{% quote %}\nTwo.\n{% facts %}\nThree.\n{% files %}\nFour.' } },
    });
    const parts = ['One.', '> Hi Ben,', 'Two.', 'Available until', 'Three.', 'Files:', 'Four.'];
    const places = parts.map((part) => text.indexOf(part));
    assert.ok(!places.includes(-1), text);
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.doesNotMatch(text, /^(quote|facts|files)$/m);
  });

  it('holds text, not markup: HTML of an administrator is escaped', () => {
    const { html } = renderAny('message', sampleOf('message'), {
      templates: { message: { intro: '<b>Hi</b> <img src="https://x.example/">' } },
    });
    assert.ok(html.includes('&lt;b&gt;Hi&lt;/b&gt; &lt;img src=&#34;https://x.example/&#34;&gt;'));
  });

  it('never reads a value as a template', () => {
    const payload = { ...sampleOf('message'), subject: '{{ senderAddress }}{% files %}' };
    const rendered = renderAny('message', payload, { templates: { message: { intro: 'Re: {{ subject }}' } } });
    assert.equal(rendered.subject, '{{ senderAddress }}{% files %}');
    assert.match(rendered.text, /Re: \{\{ senderAddress \}\}\{% files %\}/);
  });

  it('can be checked for every kind: the shipped ones have no problems', () => {
    for (const kind of kindNames) {
      const shipped = defaultTemplate(kind, 'en');
      assert.deepEqual(checkTemplate(kind, shipped), [], kind);
      const { subject, text, html } = renderAny(kind, sampleOf(kind), { templates: { [kind]: shipped } });
      const usual = renderAny(kind, sampleOf(kind));
      assert.deepEqual({ subject, text, html }, { subject: usual.subject, text: usual.text, html: usual.html });
    }
  });

  it('has a list of variables with samples, and of blocks', () => {
    assert.deepEqual(templateBlocks('message'), ['button', 'files', 'facts', 'quote']);
    assert.deepEqual(templateBlocks('test'), ['facts']);
    const variables = Object.fromEntries(templateVariables('message').map(({ name, sample }) => [name, sample]));
    assert.equal(variables.sender, 'Alice Smith');
    assert.equal(variables.organisation, 'Northlight Architects');
    assert.equal(variables.until, 'Monday 30 November 2026');
  });
});

describe('a template that fails when a mail is rendered', () => {
  it('is replaced by the shipped text and logged', () => {
    const templates = { message: { subject: '{{ gone }}', intro: '{% if %}', closing: 'See you.' } };
    const { subject, text, templateProblems } = renderAny('message', sampleOf('message'), { templates });
    assert.equal(subject, 'Drawings for the Harbour tender');
    assert.match(text, /See you\./);
    assert.equal(templateProblems.length, 2);
    assert.match(templateProblems.join('\n'), /^message, (intro|subject): /m);
  });
});

describe('catalogue sentences as Liquid', () => {
  it('give the same text as the catalogue', () => {
    const values = [0, 1, 2, 1200].map((fileCount) => ({ fileCount, sender: '{{ x }}', locale: 'en' }));
    for (const value of values) {
      const expected = mailTexts.text('en', 'mail.messageHeading', value);
      assert.equal(fillTemplate(liquidOf('mail.messageHeading', 'en'), value), expected);
    }
  });

  it('are easy to edit in English', () => {
    assert.equal(liquidOf('mail.privateIntro', 'en'), 'Open it on our page. {{ sender }} is told when you read it.');
    assert.equal(
      liquidOf('mail.fileCount', 'en'),
      '{% if fileCount == 1 %}{{ fileCount | number }} file{% else %}{{ fileCount | number }} files{% endif %}',
    );
  });

  it('use plural forms in other languages', () => {
    const liquid = liquidOf('mail.fileCount', 'pl');
    assert.match(liquid, /^\{% assign fileCount_form = fileCount \| plural_form %\}\{% if fileCount_form == "one" %\}/);
    assert.equal(fillTemplate(liquid, { fileCount: 1, locale: 'pl' }), '1 file');
    assert.equal(fillTemplate(liquid, { fileCount: 5, locale: 'pl' }), '5 files');
  });
});
