import Flare
import Foundation
import TestSupport
import Testing

/// The folder that is served beside the objects, and the page at `/`.
@Suite(.timeLimit(.minutes(1)))
struct PublicFilesTests {
    /// A folder with a neighbour that nobody is to see.
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
    func `no path leads out of the folder, and none to what is hidden`(path: String) async throws {
        try await withFiles { rest in
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
                let reply = try await rest.send(method, path)
                #expect([400, 404].contains(reply.status), "\(method) \(path): \(reply)")
                #expect(!reply.body.contains("SECRET") && !reply.body.contains("root:"))
            }
        }
    }

    @Test func `the objects come first, and folders without a page are not listed`() async throws {
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

    @Test func `the start page is the user's own, or ours`() async throws {
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
