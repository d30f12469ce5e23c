import Foundation

/// Debian's Chromium, driven by its selenium.
enum Browser {
    /// True if there is a browser to drive: also in CI when it is missing, so that the test fails there.
    static var isExpected: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || (access("/usr/bin/chromedriver", X_OK) == 0 && access(selenium, F_OK) == 0)
    }

    private static let selenium = "/usr/lib/python3/dist-packages/selenium"
}
