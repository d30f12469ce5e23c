import HTTPListener
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix

/// What the configuration adds to the page: its own screens, controls and pictures.
extension WebResponder {
    /// The most bytes of a module or a picture.
    private static let maximumBytes = 256 * 1024
    private static let legalEndings: Set<Substring> = ["js", "svg", "png", "webp", "jpg", "jpeg"]

    /// A file of the folder of modules; nothing outside of it.
    func module(_ name: String, _ head: HTTPRequest) async -> WebAnswer {
        guard let folder = configuration.modulesFolder, Self.isLegal(name) else { return .notFound(head) }
        let file = try? await NIOThreadPool.singleton.runIfActive {
            () -> (file: PublicFile, bytes: [UInt8])? in
            guard case .file(let file)? = PublicFile.open(name, in: folder), file.size <= Self.maximumBytes
            else { return nil }
            return (file, try file.read(from: 0, count: file.size))
        }
        guard let file = file ?? nil, let type = PageFiles.type(of: name) else { return .notFound(head) }
        var answer = WebAnswer(type: type, body: ByteBuffer(bytes: file.bytes))
        // A picture that is opened by itself runs no script.
        let policy =
            name.hasSuffix(".js")
            ? "default-src 'none'" : "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        answer.headers = [.eTag: file.file.tag, .cacheControl: "no-cache", .contentSecurityPolicy: policy]
        answer.revalidate(head)
        return answer
    }

    /// Letters, digits, `_`, `-` and one dot before the ending.
    private static func isLegal(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let stem = parts.first, let ending = parts.last else { return false }
        return name.utf8.count <= 110 && !stem.isEmpty && stem.isPlainName && legalEndings.contains(ending)
    }
}

extension WebAnswer {
    /// Leaves the body out if the requester has it already, by its tag.
    mutating func revalidate(_ head: HTTPRequest) {
        let fields = head.headerFields
        guard let tag = headers[.eTag],
            let match = [tag, Self.gzipTag(tag)].first(where: { fields.hasAnswer(tagged: $0) == true })
        else { return }
        headers[.eTag] = match
        (status, body) = (.notModified, ByteBuffer())
    }
}
