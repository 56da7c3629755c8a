// The index of the reference's search, made from the page itself.

/** The operations, error codes, fields and chapters of the page, with their links. */
export function referenceSections() {
  return [...operations(), ...codes(), ...fields(), ...chapters()]
}

function operations() {
  return [...document.querySelectorAll('.contents a[data-address]')].map((link) => ({
    href: link.hash,
    title: link.querySelector('span').textContent,
    trail: [link.closest('.group').querySelector('.group-name').textContent],
    text: `${link.querySelector('.method').textContent} ${link.dataset.address}`,
    weight: 3,
  }))
}

function codes() {
  return [...document.querySelectorAll('tr[id]')].map((row) => ({
    href: `#${row.id}`,
    title: row.querySelector('code').textContent,
    trail: ['Errors'],
    text: [...row.cells]
      .slice(1)
      .map((cell) => cell.textContent)
      .join(' '),
    weight: 2,
  }))
}

function fields() {
  return [...document.querySelectorAll('.field[id]')].map((field) => ({
    href: `#${field.id}`,
    title: field.querySelector('.field-name').textContent,
    trail: [titleOf(field.closest('section'))],
    text: [...field.children]
      .filter((child) => child.matches('p:not(.field-head)'))
      .map((child) => child.textContent)
      .join(' '),
    weight: 1,
  }))
}

/** The entries of the contents that are no operations. */
function chapters() {
  const links = document.querySelectorAll('.contents nav > ul > li > a')
  return [...links].map(({ hash, textContent }) => {
    const section = document.getElementById(hash.slice(1)).closest('section')
    const text = [...section.querySelectorAll(':scope > p, :scope > .words > p')].map((part) => part.textContent)
    return { href: hash, title: textContent, trail: ['Reference'], text: text.join(' '), weight: 2 }
  })
}

function titleOf(section) {
  return document.getElementById(section?.getAttribute('aria-labelledby') ?? '')?.textContent ?? ''
}
