//! The report in a browser, as a reader has it: on a phone and on a desk, light and dark, on paper, and read aloud.
//!
//! ```text
//!     a report --> chromium --headless <-- pipe --> look.js: what overflows, what is missing, what cannot be read
//!                                                   events: errors, refusals, whatever is loaded
//!                                                   the accessibility tree: names, levels of headings
//! ```
//!
//! Nothing here knows how the page is made; whatever a browser would complain of, and whatever a reader would, fails.

mod chromium;
mod made_up;
mod page;
#[path = "../small/mod.rs"]
mod small;

use arqway_lab::report::Further;
use arqway_lab::report::ReportHeader;
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::run;
use arqway_papers::Judged;
use arqway_papers::other_seeds::{self, SeedFinding};
use chromium::Chromium;
use page::{View, look};
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

const PHONE: u32 = 360;
const DESK: u32 = 1440;

/// A folder of this test run.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder of our own");
        Self(path)
    }

    fn page(&self, html: &str) -> String {
        let file = self.0.join("page.html");
        fs::write(&file, html).expect("a file of our own");
        address(&file)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left of it lies among the files of the build.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn address(file: &std::path::Path) -> String {
    format!("file://{}", file.display())
}

/// Looks at a page in every way.
fn is_in_order(browser: &mut Chromium, address: &str) {
    let mut complaints = Vec::new();
    for width in [PHONE, DESK] {
        for dark in [false, true] {
            let view = View { width, dark };
            complaints.extend(look(browser, address, view).into_iter().map(|complaint| format!("{view}: {complaint}")));
        }
    }
    complaints.extend(page::listen(browser, address));
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(page::printed_pages(browser, address) > 0, "nothing is printed");
}

#[test]
fn a_report_of_a_run_is_in_order_everywhere() {
    let Some(mut browser) = Chromium::start() else { return };
    let plan = Plan::new(small::experiments(), &Request::default()).expect("cells");
    let results = |plan: &Plan| {
        run(plan, NonZeroUsize::new(2).expect("two"), &Cancellation::new(), || ()).expect("the worlds can be built")
    };
    let claims = small::claims();
    let of_plan = results(&plan);
    let mut findings = Judged::new(&plan, &of_plan, &claims);
    let others = other_seeds::plans(&plan, &claims, NonZeroU32::MIN.saturating_add(2));
    findings.other_seeds = others.iter().map(|plan| SeedFinding::new(plan, &results(plan), &claims)).collect();
    let header = ReportHeader {
        title: "A small paper".to_owned(),
        command: "arqway reproduce small".to_owned(),
        figure_command: Some("arqway reproduce PAPER FIGURE".to_owned()),
        note: String::new(),
    };
    let folder = Folder::new("ran");
    findings.write(&plan, &header, &folder.0).expect("a folder of our own");
    is_in_order(&mut browser, &address(&folder.0.join("report.html")));
    for figure in ["small-table1", "small-fig1", "small-fig1-delay"] {
        let svg = folder.0.join(format!("figures/{figure}.svg"));
        let complaints = page::look_at_figure(&mut browser, &address(&svg));
        assert!(complaints.is_empty(), "{figure}: {}", complaints.join("\n"));
    }
}

#[test]
fn a_report_with_306_claims_and_texts_as_long_as_they_come_is_in_order_everywhere() {
    let Some(mut browser) = Chromium::start() else { return };
    let mut report = made_up::report();
    report.papers[0].further.push(Further {
        id: "further".to_owned(),
        title: "A section that somebody else wrote".to_owned(),
        html: "<h4>With a heading</h4><p>And a paragraph.</p>".to_owned(),
    });
    let claims: usize = report.papers.iter().flat_map(|paper| &paper.figures).map(|figure| figure.verdicts.len()).sum();
    assert_eq!(claims, 306);
    let folder = Folder::new("made-up");
    is_in_order(&mut browser, &folder.page(&report.to_html().expect("a page")));
}

/// What to put into a page, and what is to be said of it then.
const SPOILS: [(&str, &str); 17] = [
    ("<p style='width:3000px'>far</p>", "the page is wider than the window"),
    ("<p style='width:4rem;white-space:nowrap'>text that is too long</p>", "overflows: p"),
    ("<script>throw new Error('spoilt')</script>", "exception: Error: spoilt"),
    ("<script>console.error('spoilt')</script>", "console: spoilt"),
    ("<img src='missing.png' alt='gone'>", "cannot load"),
    ("<img src='missing.png' alt='gone'>", "missing picture: img"),
    ("<figure><figcaption>without a picture</figcaption></figure>", "missing picture: figure"),
    ("<figure><svg style='width:9rem' height='200'></svg></figure>", "narrower than its card"),
    (
        "<figure><svg width='200' height='200'></svg><svg width='200' height='200'></svg></figure>",
        "drawn more than once",
    ),
    ("<nav><details open><summary>a</summary><ol><li>b</li></ol></details></nav>", "the contents are not folded"),
    ("<svg role='img' width='9' height='9'><rect width='9' height='9'/></svg>", "without a name: image"),
    ("<h6>deep</h6>", "heading of level 6 after one of level 4"),
    ("<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>", "without a name: table"),
    ("<p style='color:#999;background:#fff'>pale</p>", "contrast"),
    ("<svg width='90' height='30'><text y='9'>one</text><text y='9'>two</text></svg>", "texts overlap"),
    ("<svg width='20' height='30'><text y='9'>a long text</text></svg>", "text is cut"),
    ("<div id='results'></div>", "two elements are called results"),
];

#[test]
fn what_is_out_of_order_is_seen() {
    let Some(mut browser) = Chromium::start() else { return };
    let folder = Folder::new("spoilt");
    let html = made_up::short_report().to_html().expect("a page");
    is_in_order(&mut browser, &folder.page(&html));
    let (open, close) = ("<meta http-equiv=\"Content-Security-Policy\"", "</main>");
    assert!(html.contains(open) && html.contains(close));
    // A page may load nothing and run nothing: to see what happens where it may, the policy is taken away.
    let open_page = html.replace(open, "<meta name=\"no-policy\"");
    let complaints = |browser: &mut Chromium, html: &str, spoil: &str| {
        let address = folder.page(&html.replace(close, &format!("{spoil}{close}")));
        let mut complaints = look(browser, &address, View { width: PHONE, dark: false });
        complaints.extend(page::listen(browser, &address));
        complaints
    };
    for (spoil, expected) in SPOILS {
        let found = complaints(&mut browser, &open_page, spoil);
        assert!(found.iter().any(|complaint| complaint.contains(expected)), "{spoil}: {expected} is not in {found:?}");
    }
    for spoil in ["<script>1</script>", "<img src='missing.png' alt='gone'>"] {
        let found = complaints(&mut browser, &html, spoil);
        assert!(found.iter().any(|complaint| complaint.contains("Content Security Policy")), "{spoil}: {found:?}");
    }
}
