
// Rank pages and their sections above names in the reference, and variables below them.
window.pdocSearch = (find => term => find(term)
    .map(found => ({...found, score: found.score * ({page: 3, section: 3, variable: 0.5}[found.doc.kind] || 1)}))
    .sort((a, b) => b.score - a.score)
)(window.pdocSearch);
