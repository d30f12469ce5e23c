import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// The public folder, and the page at `/`.
@Suite(.timeLimit(.minutes(1)))
struct PublicFilesTests {
    /// A folder beside one that must not be served.
    private func withFiles(_ body: @escaping @Sendable (RESTClient) async throws -> Void) async throws {
        try await withFolder { folder in
            let files = [
                "public/page.html": "<p>page", "public/a b.txt": "blank", "public/%2e%2e": "odd",
                "public/sub/index.html": "<p>sub", "public/.hidden": "SECRET", "public/.git/config": "SECRET",
                "public/environments": "SECRET", "public/sub/..x": "SECRET", "secret.txt": "SECRET",
                "public-other/file": "SECRET",
            ]
            for (name, text) in files {
                let file = folder.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
            }
            try await withREST(publicFolder: folder.path + "/public") { try await body($0) }
        }
    }

    @Test func `files are served with their type`() async throws {
        try await withFiles { rest in
            for (path, type, text) in [
                ("/page.html", "text/html", "<p>page"), ("/page.html?x=1", "text/html", "<p>page"),
                ("/a%20b.txt", "text/plain", "blank"), ("/sub/", "text/html", "<p>sub"),
                ("/sub/index.html", "text/html", "<p>sub"),
            ] {
                let reply = try await rest.send("GET", path)
                #expect(reply.status == 200, "\(path)")
                #expect(reply.headers["content-type"] == "\(type); charset=utf-8", "\(path)")
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.body == text)
            }
            let head = try await rest.send("HEAD", "/page.html")
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "7")
            let tag = try await rest.send("GET", "/page.html").headers["etag"] ?? ""
            let again = try await rest.send("GET", "/page.html", headers: ["If-None-Match: \(tag)"])
            #expect(again.status == 304)
            let part = try await rest.send("GET", "/page.html", headers: ["Range: bytes=3-4"])
            #expect(part.status == 206)
            #expect(part.body == "pa")
        }
    }

    @Test(arguments: [
        "/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt", "/%2E%2e/secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt", "/sub/%2e%2e/%2e%2e/secret.txt", "/..%5csecret.txt", "/..\\secret.txt",
        "/%252e%252e/secret.txt", "/%252e%252e%252fsecret.txt", "/..%00/secret.txt", "/secret.txt%00.html",
        "/page.html%00", "/./../secret.txt", "//../secret.txt", "/.hidden", "/%2ehidden", "/.git/config",
        "/sub/..x", "/sub/../.hidden", "/..%c0%afsecret.txt", "/%c0%ae%c0%ae/secret.txt", "/..;/secret.txt",
        "/../public-other/file", "/%2e%2e/public-other/file", "//etc/passwd", "/%2fetc/passwd",
        "///etc/passwd",
        "/~root/.profile", "/sub//../../secret.txt", "/%", "/%zz", "/%ff", "/sub/%2e",
        "http://localhost/../secret.txt",
        "/../../../../../../../../../../etc/passwd", "/file:///etc/passwd", "//sub", "//sub/",
    ])
    func `paths outside of the folder and hidden files are not served`(path: String) async throws {
        try await withFiles { rest in
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
                let reply = try await rest.send(method, path)
                #expect([400, 404].contains(reply.status), "\(method) \(path): \(reply)")
                #expect(!reply.body.contains("SECRET") && !reply.body.contains("root:"))
            }
        }
    }

    @Test func `a symbolic link is followed only inside of the folder`() async throws {
        try await withFiles { rest in
            let folder = try #require(rest.publicFolder)
            let links = [
                "out.txt": "../secret.txt", "absolute.txt": "/etc/passwd", "up": "..",
                "other": "../public-other",
                "dot.txt": ".hidden", "in.txt": "sub/index.html", "within": "sub", "loop": "loop",
            ]
            for (name, target) in links {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name,
                    withDestinationPath: target
                )
            }
            for path in [
                "/out.txt", "/absolute.txt", "/up/secret.txt", "/up/", "/up", "/other/file", "/dot.txt",
                "/loop",
            ] {
                let reply = try await rest.send("GET", path)
                #expect(reply.status == 404, "\(path): \(reply)")
            }
            let inside = try await rest.send("GET", "/in.txt")
            #expect(inside.body == "<p>sub")
            let within = try await rest.send("GET", "/within/")
            #expect(within.body == "<p>sub")
        }
    }

    @Test func `a public folder may be a symbolic link`() async throws {
        try await withFolder { folder in
            let target = folder.appending(path: "real")
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            try Data("page".utf8).write(to: target.appending(path: "a.txt"))
            let link = folder.path + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
            try await withREST(publicFolder: link) { rest in
                let page = try await rest.send("GET", "/a.txt")
                #expect(page.body == "page")
            }
        }
    }

    @Test func `only regular files are served, and a pipe does not block`() async throws {
        try await withFiles { rest in
            let folder = try #require(rest.publicFolder)
            mkfifo(folder + "/pipe", 0o600)
            let reply = try await rest.send("GET", "/pipe")
            #expect(reply.status == 404)
        }
    }

    /// `page.html` has 7 bytes: `<p>page`.
    @Test(
        arguments: [
            ("bytes=3-4", 206, "bytes 3-4/7", "pa"), ("bytes=3-", 206, "bytes 3-6/7", "page"),
            ("bytes=-4", 206, "bytes 3-6/7", "page"), ("bytes=-400", 206, "bytes 0-6/7", "<p>page"),
            ("bytes=5-99999999999999999999", 206, "bytes 5-6/7", "ge"),
            ("bytes=6-6", 206, "bytes 6-6/7", "e"),
            ("bytes=7-", 416, "bytes */7", nil), ("bytes=7-8", 416, "bytes */7", nil),
            ("bytes=-0", 416, "bytes */7", nil), ("bytes=99999999999999999999-", 416, "bytes */7", nil),
            ("bytes=4-3", 200, nil, "<p>page"), ("bytes=a-b", 200, nil, "<p>page"),
            ("bytes=", 200, nil, "<p>page"),
            ("bytes=-", 200, nil, "<p>page"), ("lines=1-2", 200, nil, "<p>page"),
            ("bytes=0-1,3-4", 200, nil, "<p>page"), ("bytes=+1-2", 200, nil, "<p>page"),
        ] as [(String, Int, String?, String?)]
    )
    func `a range is answered with the part of it that exists`(
        range: String,
        status: Int,
        field: String?,
        body: String?
    ) async throws {
        try await withFiles { rest in
            let reply = try await rest.send("GET", "/page.html", headers: ["Range: \(range)"])
            #expect(reply.status == status)
            #expect(reply.headers["content-range"] == field)
            if let body {
                #expect(reply.body == body)
            } else {
                #expect(reply.body.contains("range_not_satisfiable"))
            }
        }
    }

    @Test func `a range of a changed file is answered with the whole file`() async throws {
        try await withFiles { rest in
            let whole = try await rest.send("GET", "/page.html")
            for (name, status) in [
                ("\"other\"", 200), (whole.headers["etag"] ?? "", 206),
                (whole.headers["last-modified"] ?? "", 206),
            ] {
                let reply = try await rest.send(
                    "GET",
                    "/page.html",
                    headers: ["Range: bytes=3-4", "If-Range: \(name)"]
                )
                #expect(reply.status == status)
            }
            let again = try await rest.send(
                "GET",
                "/page.html",
                headers: ["If-Modified-Since: \(whole.headers["last-modified"] ?? "")"]
            )
            #expect(again.status == 304)
        }
    }

    @Test func `a large and an empty file arrive complete`() async throws {
        try await withFolder { folder in
            let text = (0..<100_000).map { "\($0)" }.joined(separator: " ")
            try Data(text.utf8).write(to: folder.appending(path: "large.txt"))
            try Data().write(to: folder.appending(path: "empty.txt"))
            try await withREST(publicFolder: folder.path) { rest in
                let large = try await rest.send("GET", "/large.txt")
                #expect(large.body == text)
                let empty = try await rest.send("GET", "/empty.txt")
                #expect(empty.status == 200)
                #expect(empty.headers["content-length"] == "0")
                let part = try await rest.send("GET", "/empty.txt", headers: ["Range: bytes=0-"])
                #expect(part.status == 416)
            }
        }
    }

    @Test func `objects take precedence over files, and folders are not listed`() async throws {
        try await withFiles { rest in
            #expect(try await rest.json("GET", "/environments") == [])
            #expect(try await rest.json("GET", "/Environments/") == [])
            #expect(try await rest.send("GET", "/none").status == 404)
            #expect(try await rest.send("GET", "/%2e%2e").status == 404)
            #expect(try await rest.send("POST", "/page.html").status == 404)
            let redirect = try await rest.send("GET", "/sub")
            #expect([301, 308].contains(redirect.status))
            #expect(redirect.headers["location"] == "/sub/")
        }
    }

    @Test func `the public folder's index page replaces the start page`() async throws {
        try await withFiles { rest in
            let page = try await rest.send("GET", "/")
            #expect(page.body.contains("Flare server"))
        }
        try await withFolder { folder in
            try Data("own".utf8).write(to: folder.appending(path: "index.html"))
            try await withREST(publicFolder: folder.path) { rest in
                let page = try await rest.send("GET", "/")
                #expect(page.body == "own")
            }
        }
        try await withREST { rest in
            let page = try await rest.send("GET", "/")
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(page.body.contains("href=\"/environments\""))
            #expect(try await rest.send("HEAD", "/").status == 200)
            #expect(try await rest.send("POST", "/").status == 404)
            #expect(try await rest.send("GET", "/page.html").status == 404)
        }
    }
}
