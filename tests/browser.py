"""A real browser for the tests of pages: Debian's chromium, headless, driven by Playwright; no download."""

import shutil
from contextlib import contextmanager

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def started():
    """Start a browser, or skip the test with what to install."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
    )
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no chromium on this machine: apt-get install chromium, and the pages are tested in it")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """A page opened from disk, and everything that should not happen while it is open."""

    def __init__(self, browser, file, *, width=1440, height=1000, **options):
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = file.resolve().as_uri()
        self.page.goto(self.address)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        outside = [url for url in self.requests if url != self.address and not url.startswith(("data:", "blob:"))]
        self.context.close()
        if kind is None:
            assert self.complaints == []
            assert outside == []

    def downloaded(self, button):
        """Click a button and return what it saves: the name and the bytes."""
        with self.page.expect_download() as waiting:
            self.page.click(button)
        with open(waiting.value.path(), "rb") as file:
            return waiting.value.suggested_filename, file.read()
