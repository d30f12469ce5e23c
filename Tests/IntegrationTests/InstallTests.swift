import Foundation
import TestSupport
import Testing

/// `contrib/install`, with another program in the place of ours, and a stand-in for systemd.
@Suite(.timeLimit(.minutes(1)))
struct InstallTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "contrib/install").path(percentEncoded: false)

    /// Runs the script in a folder; what it has printed.
    ///
    /// - Parameter fragment: The unit that systemd is said to have; with `nil` there is no systemd.
    private func install(_ words: String, in folder: TemporaryFolder, fragment: String? = nil) async throws
        -> Program.End
    {
        try folder.write(
            "#!/bin/sh\necho \"$@\" >>\(folder.path("calls"))\n[ $1 != show ] || { echo \(fragment ?? ""); exit; }\nexit 1\n",
            to: "systemctl"
        )
        try await ChildProcess.run("/bin/chmod", ["755", folder.path("systemctl")])
        let systemd = "mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && "
        let command = """
            cd \(folder.path) && export PATH=\(folder.path):$PATH && \
            \(fragment == nil ? "" : systemd)exec bash \(Self.script) \(words)
            """
        let namespace = fragment == nil ? [] : ["unshare", "--mount"]
        let child = try ChildProcess(
            "/usr/bin/env",
            namespace + ["bash", "-c", command],
            output: folder.path("printed")
        )
        let status = await child.end(within: .seconds(30))
        await child.destroy()
        return Program.End(status: status, output: folder.read("printed"))
    }

    private func unit(_ prefix: String, _ folder: TemporaryFolder) -> String {
        folder.read("\(prefix)/lib/systemd/system/trilateral.service")
    }

    @Test func `the unit names a configuration that is not in its usual place`() async throws {
        try await withTemporaryFolder { folder in
            let root = "--binary /bin/true --destdir \(folder.path("root"))"
            #expect(try await install(root, in: folder).status == 0)
            #expect(unit("root/usr/local", folder).contains("\nExecStart=/usr/local/bin/trilateral run\n"))
            let end = try await install("\(root) --prefix /opt/t --sysconfdir /opt/etc", in: folder)
            #expect(end.status == 0, "\(end.output)")
            let start = "/opt/t/bin/trilateral run --config /opt/etc/trilateral/trilateral.yaml"
            #expect(unit("root/opt/t", folder).contains("\nExecStart=\(start)\n"))
        }
    }

    @Test func `a program is taken by a name without a folder`() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.copyItem(atPath: "/bin/true", toPath: folder.path("mine"))
            let end = try await install("--binary mine --destdir \(folder.path("root"))", in: folder)
            #expect(end.status == 0, "\(end.output)")
            let missing = try await install("--binary no --destdir \(folder.path("root"))", in: folder)
            #expect(missing.status == 69)
            #expect(missing.output.contains("no is not an executable file"), "\(missing.output)")
        }
    }

    @Test func `the manual is installed where the README leads to it, and removed again`() async throws {
        try await withTemporaryFolder { folder in
            let root = "--destdir \(folder.path("root"))"
            let installed = try await install("--binary /bin/true \(root)", in: folder)
            #expect(installed.status == 0, "\(installed.output)")
            let documentation = "root/usr/local/share/doc/trilateral"
            #expect(folder.read("\(documentation)/README.md").contains("(contrib/manual/README.md)"))
            #expect(folder.read("\(documentation)/contrib/manual/README.md").contains("(troubleshooting.md)"))
            #expect(
                folder.read("\(documentation)/contrib/edge/README.md").contains("(../manual/bindings.md)")
            )
            let removed = try await install("--uninstall \(root)", in: folder)
            #expect(removed.status == 0, "\(removed.output)")
            #expect(!FileManager.default.fileExists(atPath: folder.path(documentation)))
        }
    }

    @Test(.enabled(if: geteuid() == 0), arguments: [true, false])
    func `an uninstallation stops its own service only, and goes on when systemd fails`(isOurs: Bool)
        async throws
    {
        try await withTemporaryFolder { folder in
            let options = "--prefix \(folder.path("opt")) --sysconfdir \(folder.path("etc"))"
            let own = folder.path("opt/lib/systemd/system/trilateral.service")
            let other = "/usr/lib/systemd/system/trilateral.service"
            let installed = try await install("--binary /bin/true \(options)", in: folder, fragment: other)
            #expect(installed.status == 0, "\(installed.output)")
            // systemd does not look there by itself.
            #expect(installed.output.contains("systemctl enable --now \(own)"), "\(installed.output)")
            let end = try await install("--uninstall \(options)", in: folder, fragment: isOurs ? own : other)
            #expect(end.status == 0, "\(end.output)")
            #expect(folder.read("calls").contains("disable --now trilateral") == isOurs)
            #expect(!FileManager.default.fileExists(atPath: folder.path("opt/bin/trilateral")))
            #expect(!FileManager.default.fileExists(atPath: own))
        }
    }
}
