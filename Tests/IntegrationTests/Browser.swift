import Foundation

/// Debian's Chromium, driven by its selenium; and what reads codes from its pictures.
enum Browser {
    /// True if there is a browser to drive: also in CI when it is missing, so that the test fails there.
    static var isExpected: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || (access("/usr/bin/chromedriver", X_OK) == 0 && packages.allSatisfy { access($0, F_OK) == 0 })
    }

    private static let packages = ["selenium", "pyzbar", "PIL"].map { "/usr/lib/python3/dist-packages/\($0)" }
}
