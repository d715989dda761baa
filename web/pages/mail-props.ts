/** The only links lead to other languages. */
export interface MailPage {
  kind: 'mail';
  subject: string;
  heading: string;
  pieces: MailPiece[];
  why: string;
  languages: { locale: string; url: string }[];
}

export type MailPiece =
  | { is: 'text'; text: string }
  | { is: 'quote'; by: string; address: string | null; text: string }
  | { is: 'list'; items: { title: string; detail: string }[]; more: string | null }
  | { is: 'facts'; facts: { label: string | null; text: string }[] };
